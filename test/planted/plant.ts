import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { PROJECT } from '../support/dormouse.ts'
import type { Bug } from './bugs.ts'

const mocha = createRequire(import.meta.url).resolve('mocha/bin/mocha.js')
/** Milliseconds: a bug that makes a loop without end is found by this. All tests together take a minute or two. */
const LONGEST = 600_000

/** A test that failed, and its file, from the project's folder on. */
export interface Failure {
  readonly title: string
  readonly file: string
}

/** A failure as mocha's reporter `json` has it. */
interface Reported {
  readonly fullTitle: string
  readonly file: string
  readonly err: { readonly message: string; readonly stack?: string }
}

/** How often the text to be replaced occurs in its file. */
export async function places({ file, find }: Bug): Promise<number> {
  const text = await readFile(join(PROJECT, file), 'utf8')
  return text.split(find).length - 1
}

/** A copy of the project in which bugs are planted, one after the other. */
export class Planting {
  readonly #directory: string

  private constructor(directory: string) {
    this.#directory = directory
  }

  static async begin(): Promise<Planting> {
    const directory = await mkdtemp(join(tmpdir(), 'dormouse-planted-'))
    for (const part of ['src', 'test', 'charts', 'docs', 'package.json', 'build.ts', 'tsconfig.json'])
      await cp(join(PROJECT, part), join(directory, part), { recursive: true })
    await symlink(join(PROJECT, 'node_modules'), join(directory, 'node_modules'))
    return new Planting(directory)
  }

  /** Plants it, runs its tests, and removes it; returns the tests that failed. @throws Error if it is no code there */
  async failures({ file, find, replace, tests }: Bug): Promise<Failure[]> {
    const path = join(this.#directory, file)
    const text = await readFile(path, 'utf8')
    await writeFile(
      path,
      text.replace(find, () => replace),
    )
    try {
      return await failuresOf(this.#directory, tests)
    } finally {
      await writeFile(path, text)
    }
  }

  /** Tests that fail without any bug: there must be none. */
  async control(tests: readonly string[]): Promise<Failure[]> {
    return failuresOf(this.#directory, tests)
  }

  end(): Promise<void> {
    return rm(this.#directory, { recursive: true, force: true })
  }
}

async function failuresOf(directory: string, tests: readonly string[]): Promise<Failure[]> {
  const args = ['--no-config', '--exit', '--reporter', 'json', '--timeout', '30000']
  // to start a cluster for each bug would take longer than all the rest
  const quick = ['--grep', 'the real control plane', '--invert']
  const child = spawn(process.execPath, [mocha, ...args, ...quick, ...tests], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST)
  const exited = once(child, 'exit')
  const output = await child.stdout.setEncoding('utf8').toArray()
  const [code] = await exited
  clearTimeout(timer)
  const report = /^\{[\s\S]*^\}/m.exec(output.join(''))?.[0]
  if (report === undefined) {
    if (code !== null) throw new Error(`the tests could not be loaded: mocha ended with ${code}`)
    return tests.map((file) => ({ title: '(the tests did not end)', file }))
  }
  const { failures } = JSON.parse(report) as { failures: Reported[] }
  // A variable that has another name by now: any test would fail, and prove nothing.
  const broken = failures.find(({ err }) => err.stack?.startsWith('ReferenceError'))
  if (broken) throw new Error(`what is planted does not run: ${broken.err.message}`)
  return failures.map(({ fullTitle, file }) => ({ title: fullTitle, file: relative(directory, file) }))
}

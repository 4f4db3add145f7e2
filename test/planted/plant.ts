import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PROJECT } from '../support/dormouse.ts'
import type { Bug } from './bugs.ts'

const mocha = createRequire(import.meta.url).resolve('mocha/bin/mocha.js')
/** Milliseconds: a bug that makes a loop without end is found by this. All tests together take a minute or two. */
const LONGEST = 600_000

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

  /** Plants it, runs its tests, and removes it; returns the titles of the tests that failed. */
  async failures({ file, find, replace, tests }: Bug): Promise<string[]> {
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
  async control(tests: readonly string[]): Promise<string[]> {
    return failuresOf(this.#directory, tests)
  }

  end(): Promise<void> {
    return rm(this.#directory, { recursive: true, force: true })
  }
}

async function failuresOf(directory: string, tests: readonly string[]): Promise<string[]> {
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
  if (report === undefined) return code === 0 ? [] : ['(the tests did not end)']
  const { failures } = JSON.parse(report) as { failures: { fullTitle: string }[] }
  return failures.map(({ fullTitle }) => fullTitle)
}

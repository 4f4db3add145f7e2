import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { filledIn, shellOf, type Contexts, type Job, type Step, type Workflow } from './workflow.ts'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))
/** Names in a person's folder, and not in a clean checkout. */
const LEFT_OUT = new Set(['.git', '.cache', 'coverage', 'dist', 'node_modules', 'reports', '.stryker-tmp'])
const STAND_INS = ['skopeo', 'helm', 'docker', 'gh', 'npm', 'strip', 'codesign']

/** The end of a step. */
export interface Ended {
  readonly code: number | null
  /** Both streams, as a person sees them in the log. */
  readonly log: string
  /** Its lines in GITHUB_OUTPUT. */
  readonly outputs: Readonly<Record<string, string>>
}

/** Paths of real programs that stand-ins pass on to. */
export interface Real {
  readonly helm?: string
}

/**
 * A folder in which steps of a workflow run as GitHub runs them, with stand-ins for what needs a network: a registry, npm
 * and releases of its own, a copy of the checkout for each job.
 */
export class World {
  readonly folder: string
  /** The folders that the stand-ins keep: `registry`, `npm`, `release`. */
  readonly state: string
  readonly #bin: string

  private constructor(folder: string) {
    this.folder = folder
    this.state = join(folder, 'state')
    this.#bin = join(folder, 'bin')
  }

  static async make(real: Real = {}): Promise<World> {
    const world = new World(await mkdtemp(join(tmpdir(), 'dormouse-release-')))
    for (const name of ['registry', 'npm', 'artifacts'])
      await mkdir(join(world.state, name), { recursive: true })
    await mkdir(world.#bin)
    const settings = { ...real, npm: found('npm') }
    await writeFile(join(world.state, 'settings.json'), JSON.stringify(settings))
    const standIns = fileURLToPath(new URL('stand-ins.ts', import.meta.url))
    for (const name of STAND_INS) {
      const file = join(world.#bin, name)
      await writeFile(
        file,
        `#!/bin/sh\nexec '${process.execPath}' '${standIns}' '${world.state}' ${name} "$@"\n`,
      )
      await chmod(file, 0o755)
    }
    return world
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true })
  }

  /** A clean copy of the checkout with its packages, and `changed`, texts by path. */
  async checkout(changed: Readonly<Record<string, string>> = {}): Promise<string> {
    const at = await mkdtemp(join(this.folder, 'checkout-'))
    const names = (await readdir(PROJECT)).filter((name) => !LEFT_OUT.has(name))
    // The program takes a tenth of the time of Node's own.
    await promisify(execFile)('cp', ['-R', ...names.map((name) => join(PROJECT, name)), at])
    await symlink(join(PROJECT, 'node_modules'), join(at, 'node_modules'))
    for (const [path, content] of Object.entries(changed)) await writeFile(join(at, path), content)
    return at
  }

  /** An empty home, and the folder for what a job writes. */
  async home(): Promise<NodeJS.ProcessEnv> {
    const home = await mkdtemp(join(this.folder, 'home-'))
    const temporary = join(home, 'temporary')
    await mkdir(temporary)
    return { HOME: home, RUNNER_TEMP: temporary, TMPDIR: temporary }
  }

  /** Runs a file of bash as GitHub would, in `cwd`; `flags` are bash's. */
  async run(script: string, flags: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Ended> {
    const place = await mkdtemp(join(this.folder, 'step-'))
    const [file, output] = [join(place, 'step.sh'), join(place, 'output')]
    await writeFile(file, script)
    await writeFile(output, '')
    const path = [this.#bin, dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter)
    const child = spawn('bash', [...flags, file], {
      cwd,
      env: { PATH: path, LANG: 'C.UTF-8', ...env, GITHUB_OUTPUT: output },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [told, warned, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number | null]>,
    ])
    const lines = (await readFile(output, 'utf8')).split('\n').filter((line) => line !== '')
    const outputs = Object.fromEntries(lines.map((line) => line.split(/=(.*)/, 2) as [string, string]))
    return { code, log: `${told}${warned}`, outputs }
  }

  /** Runs a step of a job with the shell and the variables that the workflow gives it. */
  async step(
    [workflow, job, step]: readonly [Workflow, Job, Step],
    contexts: Contexts,
    cwd: string,
    env: NodeJS.ProcessEnv,
  ): Promise<Ended> {
    const given = [workflow.env, job.env, step.env].flatMap((values) => Object.entries(values ?? {}))
    const variables = given.map(([name, value]) => [name, filledIn(value, contexts)])
    const script = filledIn(step.run, contexts)
    return this.run(script, shellOf(workflow, job, step), cwd, { ...env, ...Object.fromEntries(variables) })
  }

  /** All calls of stand-ins until now, each as one line. */
  async calls(): Promise<string[]> {
    const all = await readFile(join(this.state, 'calls'), 'utf8').catch(() => '')
    const lines = all.split('\n').filter((line) => line !== '')
    return lines.map((line) => (JSON.parse(line) as string[]).join(' '))
  }

  /** Keeps the files that a pattern names, as `actions/upload-artifact` does. @throws Error where there is none */
  async keep(name: string, pattern: string, cwd: string): Promise<void> {
    const files = globSync(pattern, { cwd })
    if (files.length === 0) throw new Error(`no file ${pattern} for the artifact ${name}`)
    const to = join(this.state, 'artifacts', name)
    await mkdir(to, { recursive: true })
    for (const file of files) await cp(join(cwd, file), join(to, basename(file)))
  }

  /** Puts artifacts whose names are of a pattern into a folder, as `actions/download-artifact` does. @throws Error where there is none */
  async fetch(pattern: string, cwd: string, path = '.'): Promise<void> {
    const kept = globSync(pattern, { cwd: join(this.state, 'artifacts') })
    if (kept.length === 0) throw new Error(`no artifact ${pattern}`)
    await mkdir(join(cwd, path), { recursive: true })
    for (const name of kept)
      await cp(join(this.state, 'artifacts', name), join(cwd, path), { recursive: true })
  }
}

/** A program of this machine. */
function found(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file))
}

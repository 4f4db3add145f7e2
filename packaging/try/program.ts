import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { basename, delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { writeFile } from 'node:fs/promises'

/** How a program is started: an executable, or Node with a file, before the words of a command. */
export type Program = readonly [file: string, ...args: string[]]

/** The outcome of a command. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A command for the process that runs those of the sources. */
export interface Asked {
  readonly id: number
  readonly words: readonly string[]
  readonly isEndless: boolean
}

/** Runs commands of one program in a folder. */
export interface Runner {
  run(words: readonly string[], isEndless?: boolean): Promise<Ended>
  stop(): Promise<void>
}

/** The surroundings of commands: a folder that has nothing of the project, and variables beside the few that any program has. */
export interface Surroundings {
  readonly folder: string
  readonly variables: Readonly<Record<string, string>>
}

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url))
/** The programs as they are in the checkout. */
export const CLIENT = path('src/cli/people/main.ts')
export const SERVICE = path('src/main.ts')

/** A program of the sources under the name of another, which its messages have: `kubectl-dormouse`. */
export async function sourcesNamed(name: string, file: string, folder: string): Promise<Program> {
  const starter = join(folder, `${name}.cjs`)
  await writeFile(starter, `import(${JSON.stringify(new URL(`file://${file}`).href)})\n`)
  return [process.execPath, starter]
}

/** The name by which a program knows itself. */
export function nameOf(program: Program): string {
  return basename(program.at(-1) ?? '').replace(/\.\w+$/, '')
}

/** The variables of a shell without settings: the Node that runs this comes first on its path. */
export function bareEnvironment({ folder, variables }: Surroundings): NodeJS.ProcessEnv {
  const kept = ['SystemRoot', 'PATHEXT'].flatMap((name) =>
    process.env[name] === undefined ? [] : [[name, process.env[name]]],
  )
  const system = process.platform === 'win32' ? [process.env['PATH'] ?? ''] : ['/usr/bin', '/bin']
  return {
    ...Object.fromEntries(kept),
    PATH: [dirname(process.execPath), ...system].join(delimiter),
    HOME: folder,
    USERPROFILE: folder,
    TMPDIR: folder,
    TEMP: folder,
    TZ: 'UTC',
    // Code that is compiled once is compiled for all commands.
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
    ...variables,
  }
}

/** Runs a command to its end; with `isEndless` it is interrupted once it has written something. */
export async function run(
  [file, ...args]: Program,
  words: readonly string[],
  around: Surroundings,
  isEndless = false,
): Promise<Ended> {
  const child = spawn(file, [...args, ...words], {
    cwd: around.folder,
    env: bareEnvironment(around),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (isEndless) child.stdout.once('data', () => setTimeout(() => child.kill('SIGINT'), 300))
  const closed = once(child, 'close') as Promise<[number | null]>
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), closed])
  return { code, stdout, stderr }
}

/** Starts a program that prints one line once it is ready; `stop` ends it. @throws Error with what it said, if it ends before */
export async function started(
  [file, ...args]: Program,
  words: readonly string[],
  around: Surroundings,
): Promise<{ line: string; stop: () => Promise<void> }> {
  const child = spawn(file, [...args, ...words], {
    cwd: around.folder,
    env: bareEnvironment(around),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  const ended = once(child, 'close').finally(() => process.off('exit', kill))
  let said = ''
  child.stderr.on('data', (part: Buffer) => (said += part.toString()))
  const first = once(createInterface(child.stdout), 'line') as Promise<[string]>
  const line = await Promise.race([first.then(([each]) => each), ended.then(() => undefined)])
  if (line === undefined) throw new Error(`${[file, ...args, ...words].join(' ')} did not start: ${said}`)
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  return { line, stop }
}

/** Runs each command in a process of its own. */
export function runnerOf(program: Program, around: Surroundings): Runner {
  return {
    run: (words, isEndless) => run(program, words, around, isEndless),
    stop: async () => {},
  }
}

/** Runs the client of the sources, in one process for all commands. */
export function sourcesIn(around: Surroundings): Runner {
  const child = fork(path('packaging/try/sources.ts'), {
    cwd: around.folder,
    env: bareEnvironment(around),
    execPath: process.execPath,
    execArgv: [],
  })
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  const asked = new Map<number, PromiseWithResolvers<Ended>>()
  child.on('message', ({ id, ended }: { id: number; ended: Ended }) => asked.get(id)?.resolve(ended))
  const closed = once(child, 'close').finally(() => {
    process.off('exit', kill)
    for (const each of asked.values()) each.reject(new Error('the process of the sources has ended'))
  })
  return {
    run(words, isEndless = false) {
      const id = asked.size
      const answer = Promise.withResolvers<Ended>()
      asked.set(id, answer)
      child.send({ id, words, isEndless } satisfies Asked)
      return answer.promise
    },
    async stop() {
      child.kill('SIGTERM')
      await closed
    },
  }
}

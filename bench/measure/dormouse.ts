import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { bundle } from '../../build.ts'
import { PROJECT, programEnvironment } from '../../test/support/dormouse.ts'
import { newLocalTokens } from '../../test/support/local-tokens.ts'

/** `dormouse serve`, ready, in a process of its own. */
export interface Dormouse {
  readonly pid: number
  /** Milliseconds from its start until it was ready. */
  readonly readyAfter: number
  readonly api: string
  readonly webhook: string | undefined
  readonly metrics: string
  /** A bearer of the API, who may do anything. */
  /** For several subjects, which together may have more answers at once than a scenario needs. */
  readonly tokens: readonly string[]
  readonly log: readonly string[]
  stop(): Promise<void>
}

const SUBJECTS = ['one', 'two', 'three', 'four']

interface Options {
  readonly kubeconfig: string
  /** Keys of the configuration beside ports and authentication. */
  readonly settings?: Readonly<Record<string, unknown>>
}

/** Starts it as the image does, with its flags and variables, and with the defaults but for ports and tokens. */
export async function startDormouse({ kubeconfig, settings }: Options): Promise<Dormouse> {
  const directory = await mkdtemp(join(tmpdir(), 'dormouse-bench-'))
  const tokens = newLocalTokens()
  const { issuer, audience, publicKey } = tokens
  const publicKeyFile = join(directory, 'public.pem')
  const config = join(directory, 'config.yaml')
  await writeFile(publicKeyFile, publicKey)
  // JSON is YAML. Without a grace the workloads that the bench has just made follow their schedule.
  const settled = {
    newWorkloadGrace: '0s',
    // The maximum of operations an hour: the bench's schedule has an edge each minute.
    backoff: { maxOperations: 19 },
    api: { host: '127.0.0.1', port: 0, insecurePort: 0, rate: { perSecond: 100_000, burst: 100_000 } },
    auth: { local: { issuer, audience, publicKeyFile } },
    metrics: { port: 0 },
    ...settings,
  }
  await writeFile(config, JSON.stringify(settled))
  const { variables, args } = await (command ??= imageCommand())
  const begun = performance.now()
  const child = spawn(
    process.execPath,
    [...args, 'serve', '--config', config, '--kubeconfig', kubeconfig, '--json'],
    {
      cwd: PROJECT,
      env: { ...programEnvironment(), ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const killed = () => child.kill('SIGKILL')
  process.once('exit', killed)
  const log: string[] = []
  createInterface(child.stderr).on('line', (line) => log.push(line))
  const addresses = await ready(child, log)
  return {
    ...addresses,
    readyAfter: performance.now() - begun,
    pid: child.pid ?? 0,
    tokens: await Promise.all(
      SUBJECTS.map((subject) =>
        tokens.token({ subject, expiresAt: Math.floor(Date.now() / 1000) + 24 * 3600 }),
      ),
    ),
    log,
    async stop() {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      const timer = setTimeout(killed, 30_000)
      await exited
      clearTimeout(timer)
      process.off('exit', killed)
      await rm(directory, { recursive: true, force: true })
    },
  }
}

let command: ReturnType<typeof imageCommand> | undefined

/** The image's command, by its Dockerfile: variables, the arguments of `node` and the bundle, which is built first. */
async function imageCommand() {
  const text = await readFile(join(PROJECT, 'Dockerfile'), 'utf8')
  const variables = [...text.matchAll(/^ENV (.*)$/gm)].flatMap(([, line = '']) => line.split(' '))
  const [, entrypoint] = /^ENTRYPOINT (.*)$/m.exec(text) ?? []
  const [program, ...args] = JSON.parse(entrypoint ?? '[]') as string[]
  if (program !== 'node') throw new Error(`the Dockerfile does not start node: ${entrypoint}`)
  const folder = join(PROJECT, 'node_modules', '.cache', 'dormouse-bench')
  await bundle(folder)
  return {
    variables: Object.fromEntries(variables.map((variable) => variable.split('=', 2))),
    args: args.map((argument) => argument.replace(/^\/app/, folder)),
  }
}

async function ready(child: ChildProcess, log: readonly string[]) {
  if (!child.stdout) throw new TypeError('its output is not piped')
  const first = once(createInterface(child.stdout), 'line') as Promise<[string]>
  const ended = once(child, 'exit').then(() => {
    throw new Error(`dormouse ended before it was ready:\n${log.slice(-10).join('\n')}`)
  })
  const [line] = await Promise.race([first, ended])
  ended.catch(() => {})
  return JSON.parse(line) as Pick<Dormouse, 'api' | 'webhook' | 'metrics'>
}

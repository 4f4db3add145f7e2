import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Agent, request } from 'undici'
import type { Cluster } from '../support/cluster.ts'
import { MAIN, programEnvironment, PROJECT } from '../support/dormouse.ts'
import { runProgram, type KubectlResult } from '../support/kubectl.ts'
import type { Manifest, Release } from './helm.ts'

interface PodSpec {
  readonly serviceAccountName: string
  readonly containers: readonly { readonly args: readonly string[] }[]
}

export interface Pod {
  readonly metadata: { readonly name: string }
  readonly spec: PodSpec
}

/** What the container of a pod would do, done here: fake nodes run none. */
export interface Beside {
  /** `serve`, until `stop`: by the release's configuration but for where it listens. */
  start(ports: { api: number; webhook: number }): Promise<void>
  /** Its exit code, and what it logged in this life. */
  stop(): Promise<{ code: number | null; log: string[] }>
  /** Runs a pod's container to its end. */
  run(pod: PodSpec): Promise<KubectlResult>
  remove(): Promise<void>
}

/** The pods' program under the release's own account, with its ConfigMap as it is when one starts. */
export async function beside(on: () => Cluster, { name, namespace }: Release): Promise<Beside> {
  const directory = await mkdtemp(join(tmpdir(), 'dormouse-beside-'))
  const file = (base: string) => join(directory, base)
  let child: ChildProcess | undefined
  let log: string[] = []

  const get = <T>(kind: string, object: string) => on().kubectl.json<T>('get', kind, object, '-n', namespace)
  /** The container's own arguments, with the files that are mounted there. */
  const argumentsOf = async ({ serviceAccountName, containers }: PodSpec) => {
    const map = await get<Manifest>('configmap', `${name}-dormouse`)
    await writeFile(file('config.yaml'), map.data?.['config.yaml'] ?? '')
    const kubeconfig = await accountKubeconfig(on(), namespace, serviceAccountName)
    const args = containers[0]?.args.map((arg) =>
      arg.replace('/etc/dormouse/config.yaml', file('config.yaml')),
    )
    return [...(args ?? []), '--kubeconfig', kubeconfig]
  }
  return {
    async start({ api, webhook }) {
      const { spec } = await get<{ spec: { template: { spec: PodSpec } } }>('deployment', `${name}-dormouse`)
      const args = [MAIN, ...(await argumentsOf(spec.template.spec)), '--metrics-port', '0', '--json']
      const own = {
        DORMOUSE_API_HOST: '127.0.0.1',
        DORMOUSE_API_PORT: String(api),
        DORMOUSE_WEBHOOK_PORT: String(webhook),
      }
      child = spawn(process.execPath, args, { cwd: PROJECT, env: { ...programEnvironment(), ...own } })
      log = []
      if (!child.stdout || !child.stderr) throw new TypeError('its output is not piped')
      createInterface(child.stderr).on('line', (line) => log.push(line))
      const ended = once(child, 'exit').then(() => {
        throw new Error(`it ended before it was ready:\n${log.slice(-20).join('\n')}`)
      })
      await Promise.race([once(createInterface(child.stdout), 'line'), ended])
      ended.catch(() => {})
    },
    async stop() {
      const running = child
      child = undefined
      if (!running) return { code: null, log }
      const exited = running.exitCode === null ? once(running, 'exit') : Promise.resolve()
      running.kill('SIGTERM')
      await exited
      return { code: running.exitCode, log }
    },
    async run(pod) {
      return runProgram(process.execPath, [MAIN, ...(await argumentsOf(pod))], {
        cwd: PROJECT,
        env: programEnvironment(),
      })
    },
    async remove() {
      child?.kill('SIGKILL')
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** The path of a kubeconfig of a service account, beside the administrator's and gone with it. */
export async function accountKubeconfig(
  { kubectl, adminKubeconfig }: Cluster,
  namespace: string,
  account: string,
): Promise<string> {
  const token = (await kubectl('create', 'token', account, '-n', namespace)).trim()
  const config = JSON.parse(await readFile(adminKubeconfig, 'utf8')) as {
    users: { user: { token: string } }[]
  }
  for (const { user } of config.users) user.token = token
  const file = `${adminKubeconfig}-${namespace}-${account}`
  await writeFile(file, JSON.stringify(config), { mode: 0o600 })
  return file
}

/** Calls the API at `path` with a token, trusting the CA alone that is given. */
export async function callApi(
  url: string,
  { ca, token, method }: { ca: string; token: string; method: 'GET' | 'POST' | 'DELETE' },
) {
  const dispatcher = new Agent({ connect: { ca } })
  try {
    const { statusCode, body } = await request(url, {
      method,
      dispatcher,
      headers: { authorization: `Bearer ${token}` },
    })
    return { status: statusCode, text: await body.text() }
  } finally {
    await dispatcher.close()
  }
}

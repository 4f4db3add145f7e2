import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Cluster } from '../support/cluster.ts'
import { runDormouse, startProgram } from '../support/dormouse.ts'
import type { KubectlResult } from '../support/kubectl.ts'
import { RunningProgram } from '../support/running-program.ts'
import type { Manifest, Release } from './helm.ts'

/** The means to act on a cluster as its administrator. */
type Reached = Pick<Cluster, 'kubectl' | 'adminKubeconfig'>

interface PodSpec {
  readonly serviceAccountName: string
  readonly containers: readonly { readonly args: readonly string[] }[]
}

export interface Pod {
  readonly metadata: { readonly name: string }
  readonly spec: PodSpec
}

/** Runs the program of a pod's container, since fake nodes run none. */
export interface Beside {
  /** Runs `serve` until `stop`, with the release's configuration but other ports. */
  start(ports: { api: number; webhook: number }): Promise<void>
  /** Stops it; returns its exit code and what it logged since `start`. */
  stop(): Promise<{ code: number | null; log: string[] }>
  /** Runs a pod's container to its end. */
  run(pod: PodSpec): Promise<KubectlResult>
  remove(): Promise<void>
}

/** So that the next one soon has it. */
const SHORT_LEASE = {
  DORMOUSE_CONTROLLER_LEASE_DURATION: '3s',
  DORMOUSE_CONTROLLER_LEASE_RENEW: '2s',
  DORMOUSE_CONTROLLER_LEASE_RETRY: '500ms',
}

/** Runs the pods' program under the release's account, with the ConfigMap's content at its start. */
export async function beside(on: () => Reached, { name, namespace }: Release): Promise<Beside> {
  const fullname = name.includes('dormouse') ? name : `${name}-dormouse`
  const directory = await mkdtemp(join(tmpdir(), 'dormouse-beside-'))
  const file = (base: string) => join(directory, base)
  let program: RunningProgram | undefined

  const get = <T>(kind: string, object: string) => on().kubectl.json<T>('get', kind, object, '-n', namespace)
  /** The container's arguments, with paths of copies of the mounted files. */
  const argumentsOf = async ({ serviceAccountName, containers }: PodSpec) => {
    const map = await get<Manifest>('configmap', fullname)
    await writeFile(file('config.yaml'), map.data?.['config.yaml'] ?? '')
    const kubeconfig = await accountKubeconfig(on(), namespace, serviceAccountName)
    const args = containers[0]?.args.map((arg) =>
      arg.replace('/etc/dormouse/config.yaml', file('config.yaml')),
    )
    return [...(args ?? []), '--kubeconfig', kubeconfig]
  }
  return {
    async start({ api, webhook }) {
      const { spec } = await get<{ spec: { template: { spec: PodSpec } } }>('deployment', fullname)
      const args = [...(await argumentsOf(spec.template.spec)), '--metrics-port', '0', '--json']
      const own = {
        ...SHORT_LEASE,
        DORMOUSE_API_HOST: '127.0.0.1',
        DORMOUSE_API_PORT: String(api),
        DORMOUSE_WEBHOOK_PORT: String(webhook),
      }
      program = new RunningProgram(startProgram(args, undefined, own))
      await program.ready()
    },
    async stop() {
      const code = (await program?.end('SIGTERM')) ?? null
      const log = program?.log ?? []
      program = undefined
      return { code, log }
    },
    async run(pod) {
      return runDormouse(await argumentsOf(pod), { env: SHORT_LEASE })
    },
    async remove() {
      await program?.end('SIGKILL')
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Writes a kubeconfig of a service account beside the administrator's, and is removed with it; returns its path. */
export async function accountKubeconfig(
  { kubectl, adminKubeconfig }: Reached,
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

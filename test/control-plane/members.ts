import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Balancer } from '../support/balancer.ts'
import { newAccounts } from './accounts.ts'
import { apiServerReady, prepareApiServer } from './api-server.ts'
import { clientFor, type Client } from './client.ts'
import { controllerArgs, controllersReady } from './controllers.ts'
import { dormouseKubeconfigs } from './dormouse-account.ts'
import { etcdArgs, etcdReady } from './etcd.ts'
import { startGuard } from './guard.ts'
import { createNodes, nodesReady } from './nodes.ts'
import { freePorts } from './ports.ts'
import { startProgram, type RunningProgram } from './process.ts'
import type { ProgramName, Programs } from './programs.ts'

/** One of several etcds or API servers. */
export interface Member {
  /** SIGKILL, also of one that is suspended. */
  kill(): Promise<void>
  /** Starts it again where it ended; resolves when it is ready. */
  start(): Promise<void>
  /** SIGSTOP: connections to it stay open and say nothing. */
  suspend(): void
  /** SIGCONT. */
  resume(): void
}

/** Three etcds and two API servers, with controllers and nodes. */
export interface Members {
  readonly etcds: readonly Member[]
  readonly apiServers: readonly Member[]
  /** Requests as an administrator, to any API server that the balancer leads to. */
  readonly admin: Client
  /** Sends tests and controllers to these API servers alone; Dormouse has one of its own each. */
  leadTo(...servers: readonly number[]): void
  /** A kubeconfig of Dormouse's account for each API server. */
  readonly dormouseKubeconfigs: readonly string[]
  stop(): Promise<void>
}

const ETCDS = 3
const API_SERVERS = 2
const NODES = 3

/** Resolves when pods can run. */
export async function startMembers(programs: Programs): Promise<Members> {
  const directory = await mkdtemp(join(tmpdir(), 'dormouse-members-'))
  const guard = startGuard(directory)
  const balancer = await Balancer.start()
  const running = new Set<RunningProgram>()
  const run = async (name: ProgramName, log: string, args: readonly string[]) => {
    const program = await startProgram(name, programs.paths[name], args, join(directory, `${log}.log`), guard)
    running.add(program)
    return program
  }
  const member = (start: () => Promise<RunningProgram>): Member => {
    let program: RunningProgram | undefined
    const signal = (name: NodeJS.Signals) => program && process.kill(program.pid, name)
    return {
      async kill() {
        await program?.kill()
        if (program) running.delete(program)
        program = undefined
      },
      async start() {
        program ??= await start()
      },
      suspend: () => void signal('SIGSTOP'),
      resume: () => void signal('SIGCONT'),
    }
  }

  const clients = await freePorts(ETCDS)
  const peers = await freePorts(ETCDS)
  const cluster = peers.map((port, at) => `etcd-${at}=http://127.0.0.1:${port}`).join(',')
  const etcds = clients.map((port, at) =>
    member(async () => {
      const name = `etcd-${at}`
      const alone = etcdArgs(join(directory, name), port, peers[at] ?? 0)
      const args = [...alone, `--name=${name}`, `--initial-cluster=${cluster}`]
      const etcd = await run('etcd', name, args)
      await etcdReady(etcd, port)
      return etcd
    }),
  )
  await Promise.all(etcds.map((each) => each.start()))

  const ports = await freePorts(API_SERVERS)
  const accounts = newAccounts()
  const { token } = accounts.admin
  const setup = await prepareApiServer(directory, { etcd: clients[0], api: ports[0] }, accounts, undefined)
  const stores = clients.map((port) => `http://127.0.0.1:${port}`).join(',')
  const urls = ports.map((port) => `https://127.0.0.1:${port}`)
  let caData = ''
  const apiServers = ports.map((port, at) =>
    member(async () => {
      const name = `kube-apiserver-${at}`
      const shared = setup.args.filter((arg) => !/^--(secure-port|etcd-servers)=/.test(arg))
      const args = [...shared, `--secure-port=${port}`, `--etcd-servers=${stores}`]
      const server = await run('kube-apiserver', name, args)
      caData = await apiServerReady({ ...setup, url: urls[at] ?? '' }, server, token)
      return server
    }),
  )
  // The first writes the certificate that both show.
  for (const each of apiServers) await each.start()
  const leadTo = (...servers: readonly number[]) => {
    balancer.to(
      servers.map((at) => ports[at] ?? 0),
      { cut: true },
    )
  }
  leadTo(...ports.keys())
  const anyServer = { url: balancer.url, caData }
  const admin = clientFor(anyServer, token)
  const args = await controllerArgs(directory, anyServer, setup, accounts, programs)
  const manager = await run(
    'kube-controller-manager',
    'kube-controller-manager',
    args['kube-controller-manager'],
  )
  const kwok = await run('kwok', 'kwok', args.kwok)
  await run('kube-scheduler', 'kube-scheduler', args['kube-scheduler'])
  await createNodes(admin, NODES)
  await controllersReady(admin, manager)
  await nodesReady(admin, NODES, kwok)
  const [first = ''] = urls
  const kubeconfig = await dormouseKubeconfigs(directory, { url: first, caData }, admin)()
  const kubeconfigs = urls.map(async (url, at) => {
    const file = join(directory, `dormouse-${at}.kubeconfig`)
    await writeFile(file, (await readFile(kubeconfig, 'utf8')).replace(first, url))
    return file
  })
  return {
    etcds,
    apiServers,
    admin,
    leadTo,
    dormouseKubeconfigs: await Promise.all(kubeconfigs),
    async stop() {
      await admin.close()
      await balancer.stop()
      for (const program of running) process.kill(program.pid, 'SIGCONT')
      await Promise.all([...running].map((program) => program.kill()))
      guard.dismiss()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newAccounts } from './accounts.ts'
import { apiServerReady, prepareApiServer } from './api-server.ts'
import { clientFor } from './client.ts'
import type { Client } from './client.ts'
import { controllerArgs, controllersReady } from './controllers.ts'
import { dormouse, dormouseKubeconfigs } from './dormouse-account.ts'
import { etcdArgs, etcdReady, restoreBackup, saveBackup, type Restore } from './etcd.ts'
import { startGuard } from './guard.ts'
import { writeKubeconfig } from './kubeconfig.ts'
import { createNodes, nodesReady } from './nodes.ts'
import { writePersonKubeconfig } from './people.ts'
import { freePorts } from './ports.ts'
import { startProgram } from './process.ts'
import type { RunningProgram } from './process.ts'
import type { ProgramName, Programs } from './programs.ts'

export interface ControlPlane {
  readonly url: string
  /** The CA of the API server's certificate, PEM. */
  readonly caData: string
  /** Path of a kubeconfig of `test-admin`, who may do anything. */
  readonly adminKubeconfig: string
  /** Writes a kubeconfig of Dormouse's own account, created with its least roles at the first call; returns its path. */
  dormouseKubeconfig(): Promise<string>
  /** Writes a kubeconfig of a person with a client certificate, who may do nothing yet; returns its path. */
  personKubeconfig(name: string, ...groups: string[]): Promise<string>
  /** Requests as `test-admin`. */
  readonly admin: Client
  /** Path of the audit log of Dormouse's account: see `readAuditLog`. */
  readonly auditLog: string
  /** The folder of all files, with each program's output as `<name>.log`; removed by `stop`. */
  readonly directory: string
  /** The process of a program that runs now. */
  pidOf(name: ProgramName): number
  /** Kills the API server; after SIGTERM it would serve open watches for another minute. */
  stopApiServer(): Promise<void>
  /** Brings it back on the same port with the same data and keys; resolves when it is ready. */
  startApiServer(): Promise<void>
  /** Writes a backup of all that etcd stores; returns its path. */
  backUp(): Promise<string>
  /** Stops all, and starts all again from a backup; resolves when the API server is ready. */
  restore(backup: string, how: Restore): Promise<void>
  stop(): Promise<void>
}

export interface ControlPlaneOptions {
  readonly programs: Programs
  /** The number of fake nodes, 3 by default; 0: only etcd and the API server run, and no pod does. */
  readonly nodes?: number
  /** Whether requests of Dormouse's account are logged, which costs the API server time; true by default. */
  readonly audited?: boolean
  /** For the API server and the controllers: `HPAScaleToZero=true`. */
  readonly featureGates?: string
}

/** Starts etcd, the API server, controllers, scheduler and kwok on free loopback ports; resolves when pods can run. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { programs, nodes = 3, audited = true, featureGates } = options
  const gates = featureGates === undefined ? [] : [`--feature-gates=${featureGates}`]
  const directory = await mkdtemp(join(tmpdir(), 'dormouse-control-plane-'))
  const plane = programRunner(programs, directory)
  try {
    const [etcdPort, peerPort, apiPort] = await freePorts(3)
    const startEtcd = async (data: string) =>
      etcdReady(await plane.start('etcd', etcdArgs(data, etcdPort, peerPort)), etcdPort)
    await startEtcd(join(directory, 'etcd'))
    const accounts = newAccounts()
    const setup = await prepareApiServer(
      directory,
      { etcd: etcdPort, api: apiPort },
      accounts,
      audited ? dormouse.username : undefined,
    )
    const startApiServer = async () =>
      apiServerReady(
        setup,
        await plane.start('kube-apiserver', [...setup.args, ...gates]),
        accounts.admin.token,
      )
    const cluster = { url: setup.url, caData: await startApiServer() }
    const admin = clientFor(cluster, accounts.admin.token)
    plane.onStop(() => admin.close())
    const { name, token } = accounts.admin

    const args = await controllerArgs(directory, cluster, setup, accounts, programs)
    const startControllers = () =>
      Promise.all([
        plane.start('kube-controller-manager', [...args['kube-controller-manager'], ...gates]),
        plane.start('kwok', args.kwok),
        plane.start('kube-scheduler', args['kube-scheduler']),
      ])
    if (nodes > 0) {
      const [manager, kwok] = await startControllers()
      await createNodes(admin, nodes)
      await controllersReady(admin, manager)
      await nodesReady(admin, nodes, kwok)
    }
    const startAgain = async () => {
      await startApiServer()
      // After an outage they would wait up to 30 s before they retry.
      await plane.kill('kube-controller-manager', 'kube-scheduler', 'kwok')
      if (nodes > 0) await startControllers()
    }
    return {
      ...cluster,
      dormouseKubeconfig: dormouseKubeconfigs(directory, cluster, admin),
      personKubeconfig: (name, ...groups) => writePersonKubeconfig(directory, cluster, name, groups),
      admin,
      adminKubeconfig: await writeKubeconfig(join(directory, 'admin.kubeconfig'), cluster, name, { token }),
      auditLog: setup.auditLog,
      directory,
      pidOf: (name) => plane.pidOf(name),
      stopApiServer: () => plane.kill('kube-apiserver'),
      startApiServer: startAgain,
      async backUp() {
        const file = join(directory, `backup-${Date.now()}`)
        await saveBackup(etcdPort, file)
        return file
      },
      async restore(backup, how) {
        await plane.kill('kube-apiserver', 'etcd')
        const data = join(directory, `etcd-${Date.now()}`)
        await restoreBackup(backup, data, peerPort, how)
        await startEtcd(data)
        await startAgain()
      },
      stop: () => plane.stop(),
    }
  } catch (error) {
    await plane.stop()
    throw error
  }
}

function programRunner(programs: Programs, directory: string) {
  const guard = startGuard(directory)
  const running = new Map<ProgramName, RunningProgram>()
  let close: () => Promise<void> = async () => {}
  const end = async (names: readonly ProgramName[], how: (program: RunningProgram) => Promise<void>) => {
    await Promise.all(
      names.map(async (name) => {
        const program = running.get(name)
        if (program) await how(program)
        running.delete(name)
      }),
    )
  }
  return {
    async start(name: ProgramName, args: readonly string[]): Promise<RunningProgram> {
      if (running.has(name)) throw new TypeError(`${name} runs already`)
      const logFile = join(directory, `${name}.log`)
      const program = await startProgram(name, programs.paths[name], args, logFile, guard)
      running.set(name, program)
      return program
    },
    pidOf(name: ProgramName): number {
      const program = running.get(name)
      if (!program) throw new TypeError(`${name} does not run`)
      return program.pid
    },
    terminate: (...names: ProgramName[]) => end(names, (program) => program.stop()),
    kill: (...names: ProgramName[]) => end(names, (program) => program.kill()),
    onStop(work: () => Promise<void>) {
      close = work
    },
    /** The API server's clients first, etcd last. */
    async stop() {
      await close()
      await this.terminate('kwok', 'kube-scheduler', 'kube-controller-manager')
      await this.terminate('kube-apiserver')
      await this.terminate('etcd')
      guard.dismiss()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

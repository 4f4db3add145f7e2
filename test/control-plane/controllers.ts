import { join } from 'node:path'
import type { Accounts } from './accounts.ts'
import type { ApiServerSetup } from './api-server.ts'
import type { Client } from './client.ts'
import { writeKubeconfig } from './kubeconfig.ts'
import type { Cluster } from './kubeconfig.ts'
import { writeKwokConfiguration } from './nodes.ts'
import type { RunningProgram } from './process.ts'
import type { Programs } from './programs.ts'
import { whenReady } from './wait.ts'

type Args = Record<'kube-controller-manager' | 'kube-scheduler' | 'kwok', readonly string[]>

/** Arguments of the API server's clients among the programs; writes their kubeconfigs into `directory`. */
export async function controllerArgs(
  directory: string,
  cluster: Cluster,
  setup: ApiServerSetup,
  accounts: Accounts,
  programs: Programs,
): Promise<Args> {
  const kubeconfig = (program: string, { name, token }: Accounts[keyof Accounts]) =>
    writeKubeconfig(join(directory, `${program}.kubeconfig`), cluster, name, { token })
  return {
    'kube-controller-manager': [
      `--kubeconfig=${await kubeconfig('kube-controller-manager', accounts.controllerManager)}`,
      '--use-service-account-credentials=true',
      `--service-account-private-key-file=${setup.serviceAccountKey}`,
      `--root-ca-file=${setup.certificateFile}`,
      '--leader-elect=false',
      '--secure-port=0',
      // So that the controllers' own rate limits do not slow down a wave of 200 workloads.
      '--kube-api-qps=2000',
      '--kube-api-burst=4000',
    ],
    'kube-scheduler': [
      `--kubeconfig=${await kubeconfig('kube-scheduler', accounts.scheduler)}`,
      '--leader-elect=false',
      '--secure-port=0',
      '--kube-api-qps=2000',
      '--kube-api-burst=4000',
    ],
    kwok: [
      `--kubeconfig=${await kubeconfig('kwok', accounts.kwok)}`,
      `--config=${await writeKwokConfiguration(directory)}`,
      `--config=${programs.stages}`,
      '--manage-all-nodes=true',
      '--cidr=10.64.0.0/16',
      // The tests' own kubelet runs these: test/support/kubelet.ts.
      '--disregard-status-with-label-selector=kubelet=test',
      // With leases, a restarted kwok would ignore its nodes until the leases of its predecessor expire.
      '--node-lease-duration-seconds=0',
    ],
  }
}

/** Resolves when the controllers act: the default namespace has got its service account. */
export async function controllersReady(client: Client, manager: RunningProgram): Promise<void> {
  await whenReady(manager, 'the service account `default`', async () => {
    const { status } = await client.send('GET', '/api/v1/namespaces/default/serviceaccounts/default')
    return status === 200
  })
}

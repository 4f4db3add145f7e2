import { freePorts } from '../../test/control-plane/ports.ts'
import { eventually } from '../../test/support/eventually.ts'
import type { BenchCluster } from './cluster.ts'
import { startDormouse, type Dormouse } from './dormouse.ts'

export const CONFIGURATION = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/dormouse'

/** Starts Dormouse and waits until the API server calls its webhook. */
export async function withWebhook(cluster: BenchCluster, settings: object = {}): Promise<Dormouse> {
  const [port] = await freePorts(1)
  const webhook = { port, url: `https://127.0.0.1:${port}` }
  const dormouse = await startDormouse({ kubeconfig: cluster.kubeconfig, settings: { webhook, ...settings } })
  await eventually('the webhook to be in force', async () => {
    const { status, body } = await cluster.plane.admin.send('GET', CONFIGURATION)
    const { webhooks = [] } = body as { webhooks?: { name: string; failurePolicy: string }[] }
    const isInForce = ({ name, failurePolicy }: { name: string; failurePolicy: string }) =>
      name === 'held.dormouse.dev' && failurePolicy === 'Fail'
    return status === 200 && webhooks.some(isInForce)
  })
  return dormouse
}

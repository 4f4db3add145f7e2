import { randomBytes } from 'node:crypto'
import { FIELD_MANAGER, PROBE_LABEL, probeAnswer } from '../../domain/workload/workload.ts'
import type { KubernetesClient } from '../client.ts'
import { ClusterRefusal } from '../failures.ts'

/** Whether one probe reached the webhook through the API server; `unknown`: the API server itself did not answer. */
export type ProbeResult =
  | { readonly type: 'reached' }
  | { readonly type: 'unknown' }
  | { readonly type: 'missed'; readonly why: string }

/**
 * Creates a ConfigMap as a dry run, for which the API server calls the webhook `probe.dormouse.dev` and no other of
 * ours, and looks for that webhook's answer among the warnings. Rejects only with the signal's reason.
 */
export async function probeWebhook(
  client: Pick<KubernetesClient, 'answered'>,
  namespace: string,
  signal: AbortSignal,
): Promise<ProbeResult> {
  const nonce = randomBytes(8).toString('hex')
  const body = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { generateName: 'dormouse-probe-', labels: { [PROBE_LABEL]: nonce } },
  }
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/configmaps?dryRun=All&fieldManager=${FIELD_MANAGER}`
  try {
    const call = { method: 'POST', resource: 'configmaps', path, body, signal } as const
    const { warnings } = await client.answered(call)
    return warnings.includes(probeAnswer(nonce)) ? { type: 'reached' } : { type: 'missed', why: UNHEARD }
  } catch (error) {
    if (signal.aborted) throw error
    if (!(error instanceof ClusterRefusal)) throw error
    return error.code === 'CLUSTER_UNAVAILABLE' ? { type: 'unknown' } : { type: 'missed', why: error.message }
  }
}

const UNHEARD = 'the API server passed the dry run of a ConfigMap on without the answer of probe.dormouse.dev'

import type { Client } from '../../test/control-plane/client.ts'
import { rulesWith } from '../../test/support/rules.ts'
import { planStep } from '../../src/domain/deciding/operation.ts'
import { changeObject, jsonPatch } from '../../src/domain/workload/patch.ts'
import { KubernetesClient } from '../../src/kubernetes/client.ts'
import type { HttpRequest } from '../../src/kubernetes/http.ts'
import type { WorkloadObject } from '../../src/kubernetes/api-object.ts'
import { textOf } from '../../src/kubernetes/delivered.ts'
import { trim } from '../../src/kubernetes/trim.ts'
import { deployments } from './cluster.ts'
import type { Sent } from './raw.ts'

/** The configuration that the bench starts Dormouse with. */
const RULES = rulesWith({
  newWorkloadGrace: 0,
  backoff: { maxOperations: 19, window: 3_600_000, base: 300_000, max: 3_600_000 },
})

/** The requests that Dormouse would send at `now` for the Deployments of a namespace, byte for byte. */
export async function ourWrites(admin: Client, namespace: string, now: number): Promise<Sent[]> {
  const requests: Sent[] = []
  const recorder = new KubernetesClient({
    transport: {
      async send({ method, path, headers, body }: HttpRequest) {
        requests.push({ method: method as Sent['method'], path, headers, ...(body ? { body } : {}) })
        return { status: 200, headers: {}, text: '{}' }
      },
      open: () => Promise.reject(new TypeError('nothing is watched')),
    },
    observer: { request() {}, watchRestarted() {}, eventDropped() {}, listenerFailed() {} },
  })
  for await (const object of listed(admin, namespace)) {
    const workload = trim('deployments', object)
    const { change } = planStep(workload, now, RULES)
    if (!change) throw new Error(`${workload.name} has nothing to do`)
    const whole = JSON.parse(textOf(workload, object)) as WorkloadObject
    if (changeObject(whole, workload, change)) await recorder.replace(workload, whole, {})
    else await recorder.patch(workload, jsonPatch(workload, change))
  }
  return requests
}

async function* listed(admin: Client, namespace: string): AsyncGenerator<WorkloadObject> {
  let token: string | undefined = ''
  do {
    const query: string = new URLSearchParams({ limit: '500', continue: token }).toString()
    const page = await admin.expect('GET', `${deployments(namespace)}?${query}`)
    const { items, metadata } = page as unknown as {
      items: WorkloadObject[]
      metadata: { continue?: string }
    }
    yield* items
    token = metadata.continue
  } while (token)
}

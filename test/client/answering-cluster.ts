import { listEvents } from '../../src/console/client/list-stream.ts'
import type { Workload as Shown } from '../../src/console/page/record.ts'
import type { Dormouse } from '../../src/client/ports.ts'
import { ClusterDormouse } from '../../src/client/cluster/cluster-dormouse.ts'
import type { WorkloadKey } from '../../src/domain/workload/workload.ts'
import type { HttpRequest } from '../../src/kubernetes/http.ts'

export const NOW = Date.parse('2026-03-02T12:00:00Z')
export const WEB: WorkloadKey = { kind: 'deployments', namespace: 'shop', name: 'web' }
export const OBJECT = '/apis/apps/v1/namespaces/shop/deployments/web'
export const SETTINGS = '/api/v1/namespaces/kube-public/configmaps/dormouse'
export const NAMESPACE = '/api/v1/namespaces/shop'

type Answers = (
  request: HttpRequest,
  patches: readonly HttpRequest[],
) =>
  | {
      readonly status?: number
      readonly body?: object
      readonly warning?: string
    }
  | Error

export function aDeployment(annotations: Record<string, string> = {}, labels: Record<string, string> = {}) {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: 'web',
      namespace: 'shop',
      uid: 'u',
      resourceVersion: '7',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
      annotations,
      labels,
    },
    spec: { replicas: 2, template: { spec: { containers: [] } } },
    status: { observedGeneration: 1, replicas: 2, readyReplicas: 2 },
  }
}

/** The stored part: the annotations of a merge patch. */
export function patched({ body = '' }: HttpRequest): object {
  const { metadata } = JSON.parse(body) as { metadata: { annotations: Record<string, string> } }
  return aDeployment(metadata.annotations)
}

export function status(code: number, message: string) {
  return { status: code, body: { kind: 'Status', code, message } }
}

/** The adapter over a cluster with these answers; any other path is not found. */
export function over(
  answers: Answers,
  clock = () => NOW,
  isForbidden = (_path: string) => false,
  format?: number,
  pods: readonly object[] = [],
) {
  const patches: HttpRequest[] = []
  const transport = {
    async send(request: HttpRequest) {
      const answer = answers(request, patches)
      if (request.method === 'PATCH') patches.push(request)
      if (answer instanceof Error) throw answer
      const { status: code = 200, body = {}, warning } = answer
      const headers = warning === undefined ? {} : { warning: `299 - "${warning}"` }
      return { status: code, headers, text: JSON.stringify(body) }
    },
    async open({ path }: HttpRequest) {
      if (isForbidden(path)) {
        const message = `User "ann" cannot list resource "deployments" at the cluster scope`
        const text = JSON.stringify({ kind: 'Status', code: 403, message })
        return { status: 403, headers: {}, body: bodyOf(text), text: async () => text }
      }
      const web = answers({ method: 'GET', path: OBJECT, headers: {} }, patches)
      const listed = web instanceof Error ? undefined : web.body
      const text = JSON.stringify({
        metadata: { resourceVersion: '9' },
        items: path.includes('/deployments?')
          ? [listed ?? aDeployment()]
          : path.startsWith(`${NAMESPACE}/pods?`)
            ? pods
            : [],
      })
      return { status: 200, headers: {}, body: bodyOf(text), text: async () => text }
    },
    close: async () => {},
  }
  const dormouse = new ClusterDormouse({
    transport,
    context: 'dev',
    namespace: 'shop',
    clock,
    warn: () => {},
    signal: new AbortController().signal,
    format,
  })
  return { dormouse, patches }
}

export const reads = (
  request: HttpRequest,
  data?: Record<string, string>,
  object: object = aDeployment(),
) => {
  const [path] = request.path.split('?')
  if (path === OBJECT) return { body: object }
  if (path === NAMESPACE) return { body: { metadata: { name: 'shop', uid: 'n', resourceVersion: '1' } } }
  if (path === SETTINGS && data) return { body: { data } }
  return status(404, 'not found')
}

async function* bodyOf(text: string) {
  yield Buffer.from(text)
}

/** The first workload of shop, as the console over a kubeconfig gets it. */
export async function consoleShows(dormouse: Dormouse): Promise<Shown> {
  const stop = new AbortController()
  const events = listEvents(dormouse, 'shop', stop.signal)
  const { value: added } = await events.next()
  stop.abort()
  await events.return(undefined)
  return JSON.parse(/data: (.*)/.exec(String(added))?.[1] ?? '') as Shown
}

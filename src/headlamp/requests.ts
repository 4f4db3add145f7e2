import type { StatusRecord } from '../domain/records/record.ts'
import { formatRequest, REQUEST_ANNOTATION } from '../domain/requests/annotation.ts'
import type { Request } from '../domain/requests/operations.ts'
import { choicesOf, WAKE_FOR, type Choice, type ChoiceId } from '../words/buttons.ts'
import type { Host, Item } from './host.ts'
import { kindOfObject, type KubernetesFields } from './workload.ts'

/** The requests of buttons by the annotation; a button that is not here needs several requests. */
const REQUESTS: Readonly<Partial<Record<ChoiceId, Request>>> = {
  enable: { action: 'repair' },
  unpin: { action: 'unpin' },
  resume: { action: 'clearOverride' },
  wake: { action: 'wake', for: WAKE_FOR },
  awake: { action: 'wake', for: WAKE_FOR },
  snooze: { action: 'snooze' },
  pin: { action: 'pin' },
}

export interface Button extends Choice {
  readonly request: Request
}

/** The buttons of its present state, at most four. */
export function buttonsOf(record: StatusRecord): Button[] {
  return choicesOf(record).flatMap((choice) => {
    const request = REQUESTS[choice.id]
    return request ? [{ ...choice, request }] : []
  })
}

/**
 * Writes the annotation, which Dormouse's webhook carries out in the same write, takes out, and answers by warnings.
 * Resolves with what came of it, for people.
 */
export async function ask(request: Request, item: Item, api: Host['ApiProxy']): Promise<string> {
  const text = formatRequest({ request })
  try {
    const response = await annotate(text, item, api)
    const { metadata } = (await response.json()) as KubernetesFields
    if (metadata.annotations?.[REQUEST_ANNOTATION] !== text)
      return warningsIn(response.headers.get('Warning') ?? '') || 'Done: the state above follows'
    // So that nobody carries it out much later.
    await annotate(null, item, api).catch(() => undefined)
    return 'Not done: Dormouse does not answer. Its webhook is not reached, or leaves this namespace out'
  } catch (error) {
    // Headlamp puts the status before it: `Forbidden - admission webhook "…" denied the request: …`.
    return `Not done: ${(error as Error).message.replace(/^[\w ]* - (?:.*? denied the request: )?/s, '')}`
  }
}

function annotate(text: string | null, item: Item, api: Host['ApiProxy']): Promise<Response> {
  const { jsonData, cluster } = item
  const { namespace, name } = jsonData.metadata
  const path = `/apis/${jsonData.apiVersion}/namespaces/${namespace}/${kindOfObject(jsonData)}/${name}`
  const body = JSON.stringify({ metadata: { annotations: { [REQUEST_ANNOTATION]: text } } })
  const headers = { 'Content-Type': 'application/merge-patch+json' }
  const query = { fieldManager: 'headlamp-dormouse' }
  return api.clusterRequest(path, { method: 'PATCH', headers, body, cluster, isJSON: false }, query)
}

/** The texts of `299 - "…", 299 - "…"` (RFC 7234, section 5.5); Headlamp's desktop program may not read that header. */
function warningsIn(header: string): string {
  const texts = header.matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)
  return Array.from(texts, ([, text = '']) => text.replaceAll(/\\(.)/g, '$1')).join(' ')
}

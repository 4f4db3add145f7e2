import { toScale } from '../store/scale.ts'
import { both } from '../store/selectors.ts'
import { ok } from './answer.ts'
import type { Answer } from './answer.ts'
import { presentation, target } from './call.ts'
import type { Call, ResourceParts } from './call.ts'
import { page, refuseInitialEvents, selection } from './lists.ts'
import { isTrue, wholeNumber } from './request.ts'

export function list(call: Call, parts: ResourceParts): Answer {
  const { objects, metadata } = page(parts.registry.store, call.route, call.query)
  return ok(presentation(call, parts).many(objects, metadata))
}

export function get(call: Call, parts: ResourceParts): Answer {
  const object = parts.registry.get(target(call.route))
  if (call.route.subresource === 'scale') return ok(JSON.stringify(toScale(object)))
  return ok(presentation(call, parts).one(object))
}

/** Opens a watch on a collection, or on one object of it. */
export function watch(call: Call, { watches, clock }: ResourceParts): undefined {
  const { query, route } = call
  refuseInitialEvents(query)
  const { name } = route
  const named =
    name === undefined ? undefined : (object: { metadata: { name: string } }) => object.metadata.name === name
  const since = wholeNumber(query, 'resourceVersion')
  watches.open(call.response, {
    store: route.resource.store,
    namespace: route.namespace,
    matcher: both(selection(query), named),
    since: since === 0 ? undefined : since,
    bookmarks: isTrue(query, 'allowWatchBookmarks'),
    timeoutSeconds: wholeNumber(query, 'timeoutSeconds'),
    presentation: presentation(call, { clock }),
  })
}

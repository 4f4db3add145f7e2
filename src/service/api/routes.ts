import type { Ajv2020 } from 'ajv/dist/2020.js'
import { Router, type Layer } from '@koa/router'
import { KINDS, type Kind } from '../../domain/kinds.ts'
import { OPERATIONS } from '../../domain/requests/operations.ts'
import { Refusal } from '../../process/errors.ts'
import { audit } from './audit.ts'
import { createAuthorization, type Need } from '../auth/authorization.ts'
import { demandAnyRead, demandOf } from './demands.ts'
import { readBody } from './body.ts'
import { createBulks } from './bulk/bulk.ts'
import type { ApiState, ApiMiddleware } from './context.ts'
import { HttpRefusal } from '../../http/errors.ts'
import { createNamespaceReads } from './namespaces.ts'
import { openapi, OPENAPI_PATH, operations, withKinds } from './openapi/document.ts'
import type { Listed, ReadId } from './openapi/entries.ts'
import { guardPins, whereInherited } from './pin-guard.ts'
import type { Enter } from './places.ts'
import type { PodWaits } from './pod-waits.ts'
import type { ApiDeps } from './ports.ts'
import { createReads } from './reads.ts'
import { validate } from './validation.ts'
import { createVisibility } from './visibility.ts'
import type { Watches } from './watch/watches.ts'
import { createWrites } from './writes.ts'

/** The parts that outlive one answer. */
interface Lasting {
  readonly podWaits: PodWaits
  readonly watches: Watches
}

type Handlers = readonly ApiMiddleware[]

/** Gives the middleware of each operation for a valid request. */
function handlersOf(deps: ApiDeps, { podWaits, watches }: Lasting): (entry: Listed) => Handlers {
  const { excludeNamespaces } = deps.settings
  const authorization = createAuthorization({ ...deps, excludeNamespaces })
  const demand = (need: Need) => demandOf(authorization, need)
  const anyRead = demandAnyRead(authorization)
  const lists = {
    visibleTo: createVisibility(authorization),
    watches,
  }
  const { showIndex, showWorkload, showPlan, resume, listNamespace, listWorkloads } = createReads(deps, lists)
  const { listNamespaces, showNamespace } = createNamespaceReads(deps, authorization, lists)
  const write = createWrites(deps, podWaits)
  const guard = guardPins(deps, authorization)
  const bulk = createBulks(deps, authorization, podWaits)
  const reads: Readonly<Record<ReadId, Handlers>> = {
    index: [showIndex],
    listWorkloads: [resume, anyRead, listWorkloads],
    listNamespaces: [resume, anyRead, listNamespaces],
    readNamespace: [showNamespace],
    listNamespace: [resume, demand('list'), listNamespace],
    read: [demand('read'), showWorkload],
    readStatus: [demand('read'), showWorkload],
    plan: [resume, demand('read'), showPlan],
  }
  const guards = { always: guard, whenInherited: whereInherited(guard, deps) }
  return (entry) => {
    if (entry.action === undefined) return reads[entry.id]
    if (entry.tag === 'Bulk') return [bulk(entry.id, entry.action)]
    const { right, ends } = OPERATIONS[entry.action]
    return [demand(right), write(entry.action, ends && guards[ends])]
  }
}

/** The routes of the document, each validated by it; then the answers to paths and methods that it does not have. */
export function createRoutes(deps: ApiDeps, ajv: Ajv2020, lasting: Lasting): ApiMiddleware[] {
  const router = new Router<ApiState>({ strict: true, sensitive: true })
  const handlersFor = handlersOf(deps, lasting)
  const kinds: readonly string[] = [...KINDS, ...(deps.settings.kinds ?? [])]
  const demandKind = kindDemand(kinds)
  router.param('kind', demandKind)
  for (const { method, path, entry, operation } of withKinds(operations(), deps.settings.kinds ?? [])) {
    const record: ApiMiddleware[] = method === 'get' ? [] : [audit(deps.logger, entry.id)]
    router[method](
      path.replaceAll(/\{(\w+)\}/g, ':$1'),
      named(path),
      ...record,
      readBody(deps.settings.bodyLimit),
      validate(ajv, operation),
      ...handlersFor(entry),
    )
  }
  // GET was answered before authentication; the route makes other methods 405
  router.get(OPENAPI_PATH, async () => {})
  return [router.routes() as ApiMiddleware, refusalOfUnmatched(demandKind)]
}

/** Serves the OpenAPI document without a token; every other path needs one. */
export function serveDocument(enter: Enter, configured: readonly Kind[] = []): ApiMiddleware {
  const document = JSON.stringify(withKinds(openapi, configured))
  return async (ctx, next) => {
    if (ctx.path !== OPENAPI_PATH || !['GET', 'HEAD'].includes(ctx.method)) return next()
    ctx.state.route = OPENAPI_PATH
    enter(ctx)
    ctx.type = 'json'
    ctx.body = document
  }
}

function named(route: string): ApiMiddleware {
  return async (ctx, next) => {
    ctx.state.route = route
    await next()
  }
}

type KindDemand = (
  kind: string,
  ctx: { readonly method: string; matched?: unknown },
  next: () => Promise<unknown>,
) => Promise<unknown>

function kindDemand(kinds: readonly string[]): KindDemand {
  return (kind, ctx, next) => {
    if (kinds.includes(kind)) return next()
    // A word such as `pin` in place of a name belongs to another path.
    const { layer, allowed } = pathOf(ctx.matched)
    if (layer && !layer.paramNames.some(({ name }) => name === 'kind')) throw notAllowed(ctx.method, allowed)
    throw new Refusal('NOT_FOUND', `there is no such kind: it must be one of ${kinds.join(', ')}`)
  }
}

/** Among the paths that match a request, the first in the document, as OpenAPI requires; and its methods. */
function pathOf(matched: unknown = []): { layer: Layer | undefined; allowed: string } {
  const layers = matched as Layer[]
  const [layer] = layers
  const methods = layers.filter(({ path }) => path === layer?.path).flatMap((each) => each.methods)
  return { layer, allowed: [...new Set(methods)].toSorted().join(', ') }
}

function notAllowed(method: string, allowed: string): HttpRefusal {
  return new HttpRefusal('METHOD_NOT_ALLOWED', `${method} does nothing here: use ${allowed}`, {
    Allow: allowed,
  })
}

/** Answers OPTIONS, else refuses: 405 with the path's methods, or 404. */
const refusalOfUnmatched =
  (demandKind: KindDemand): ApiMiddleware =>
  async (ctx) => {
    const { layer, allowed } = pathOf(ctx['matched'])
    if (typeof layer?.path !== 'string') {
      throw new Refusal(
        'NOT_FOUND',
        'there is no such path: see /api/v1/openapi.json for those that there are',
      )
    }
    const { kind } = layer.params(ctx.path, layer.captures(ctx.path))
    if (kind !== undefined) await demandKind(kind, ctx, async () => {})
    ctx.state.route = layer.path.replaceAll(/:(\w+)/g, '{$1}')
    if (ctx.method !== 'OPTIONS') throw notAllowed(ctx.method, allowed)
    ctx.set('Allow', allowed)
    ctx.status = 204
  }

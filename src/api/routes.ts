import type { Ajv2020 } from 'ajv/dist/2020.js'
import { Router, type Layer } from '@koa/router'
import { KINDS, type Kind } from '../domain/kinds.ts'
import { Refusal } from '../errors.ts'
import { audit } from './audit.ts'
import { createAuthorization } from './auth/authorization.ts'
import { readBody } from './body.ts'
import type { ApiState, ApiMiddleware } from './context.ts'
import { HttpRefusal } from './answers.ts'
import { openapi, OPENAPI_PATH, operations, withKinds, type OperationId } from './openapi/document.ts'
import { guardPins } from './pin-guard.ts'
import type { PodWaits } from './pod-waits.ts'
import type { ApiDeps } from './ports.ts'
import { createReads } from './reads.ts'
import { validate } from './validation.ts'
import { createWrites, REQUESTS } from './writes.ts'

/** What each operation does with a valid request. */
function handlersOf(deps: ApiDeps, podWaits: PodWaits): Record<OperationId, readonly ApiMiddleware[]> {
  const authorization = createAuthorization(deps)
  const { demand, demandAnyRead } = authorization
  const { showIndex, showWorkload, showPlan, resume, listNamespace, listWorkloads } = createReads(
    deps,
    authorization,
  )
  const write = createWrites(deps, podWaits)
  return {
    index: [showIndex],
    listWorkloads: [resume, demandAnyRead, listWorkloads],
    listNamespace: [resume, demand('list'), listNamespace],
    read: [demand('read'), showWorkload],
    readStatus: [demand('read'), showWorkload],
    plan: [demand('read'), showPlan],
    enable: [demand('change'), write(REQUESTS.enable)],
    disable: [demand('change'), write(REQUESTS.disable, guardPins(deps, authorization))],
    schedule: [demand('change'), write(REQUESTS.schedule)],
    override: [demand('scale'), write(REQUESTS.override)],
    clearOverride: [demand('scale'), write(REQUESTS.clearOverride)],
    pin: [demand('scale'), write(REQUESTS.pin)],
    unpin: [demand('scale'), write(REQUESTS.unpin)],
    snooze: [demand('scale'), write(REQUESTS.snooze)],
    wake: [demand('scale'), write(REQUESTS.wake)],
  }
}

/** The routes of the document, each validated by it; then the answers to paths and methods that it does not have. */
export function createRoutes(deps: ApiDeps, ajv: Ajv2020, podWaits: PodWaits): ApiMiddleware[] {
  const router = new Router<ApiState>({ strict: true, sensitive: true })
  const handlers = handlersOf(deps, podWaits)
  const kinds: readonly string[] = [...KINDS, ...(deps.settings.kinds ?? [])]
  const demandKind = kindDemand(kinds)
  router.param('kind', demandKind)
  for (const { method, path, operation } of withKinds(operations(), deps.settings.kinds ?? [])) {
    const { operationId: id } = operation
    const record: ApiMiddleware[] = method === 'get' ? [] : [audit(deps.logger, id)]
    router[method](
      path.replaceAll(/\{(\w+)\}/g, ':$1'),
      named(path),
      ...record,
      readBody(deps.settings.bodyLimit),
      validate(ajv, operation),
      ...handlers[id],
    )
  }
  // GET was answered before authentication; the route makes other methods 405
  router.get(OPENAPI_PATH, serveDocument(deps.settings.kinds))
  return [router.routes() as ApiMiddleware, refusalOfUnmatched(demandKind)]
}

/** Serves the OpenAPI document without a token; every other path needs one. */
export function serveDocument(configured: readonly Kind[] = []): ApiMiddleware {
  const document = JSON.stringify(withKinds(openapi, configured))
  return async (ctx, next) => {
    if (ctx.path !== OPENAPI_PATH || !['GET', 'HEAD'].includes(ctx.method)) return next()
    ctx.state.route = OPENAPI_PATH
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

/** Operations that callers expect to exist for a whole namespace, too. */
const BULK = new Set(['snooze', 'wake', 'pin', 'override'])

function refuseBulk(action: string, method: string, namespace: string): void {
  if (!BULK.has(action) || !['POST', 'DELETE'].includes(method)) return
  throw new Refusal(
    'NOT_FOUND',
    `there is no ${action} of a whole namespace yet: send ${method} /api/v1/namespaces/${namespace}/{kind}/{name}/${action} ` +
      `for each workload; GET /api/v1/workloads?namespace=${namespace} lists them`,
  )
}

type KindDemand = (kind: string, _ctx: unknown, next: () => Promise<unknown>) => Promise<unknown>

function kindDemand(kinds: readonly string[]): KindDemand {
  return (kind, _ctx, next) => {
    if (kinds.includes(kind)) return next()
    throw new Refusal('NOT_FOUND', `there is no such kind: it must be one of ${kinds.join(', ')}`)
  }
}

/** Answers OPTIONS, else refuses: 405 with the path's methods, or 404. */
const refusalOfUnmatched =
  (demandKind: KindDemand): ApiMiddleware =>
  async (ctx) => {
    const layers = (ctx['matched'] ?? []) as Layer[]
    const [first] = layers
    if (typeof first?.path !== 'string') {
      throw new Refusal(
        'NOT_FOUND',
        'there is no such path: see /api/v1/openapi.json for those that there are',
      )
    }
    const { kind, namespace = '' } = first.params(ctx.path, first.captures(ctx.path))
    if (kind !== undefined) {
      refuseBulk(kind, ctx.method, namespace)
      await demandKind(kind, ctx, async () => {})
    }
    ctx.state.route = first.path.replaceAll(/:(\w+)/g, '{$1}')
    const allowed = [...new Set(layers.flatMap(({ methods }) => methods))].toSorted().join(', ')
    if (ctx.method !== 'OPTIONS') {
      throw new HttpRefusal('METHOD_NOT_ALLOWED', `${ctx.method} does nothing here: use ${allowed}`, {
        Allow: allowed,
      })
    }
    ctx.set('Allow', allowed)
    ctx.status = 204
  }

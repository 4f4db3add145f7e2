import type { Ajv2020 } from 'ajv/dist/2020.js'
import { Router, type Layer } from '@koa/router'
import { isKind, KINDS } from '../domain/workload.ts'
import { Refusal } from '../errors.ts'
import { audit } from './audit.ts'
import { createAuthorization } from './auth/authorization.ts'
import { readBody } from './body.ts'
import type { ApiState, Step } from './context.ts'
import { describe } from './document.ts'
import { HttpRefusal } from './errors.ts'
import { guardHeld } from './held.ts'
import { OPENAPI_PATH, operations, type OperationId } from './openapi.ts'
import type { ApiDeps } from './ports.ts'
import { createReads } from './reads.ts'
import { validate } from './validation.ts'
import type { WaitingRoom } from './waiting.ts'
import * as asked from './writes.ts'

/** What becomes of each operation once its request is known to be sound. */
function routesOf(deps: ApiDeps, waitingRoom: WaitingRoom): Record<OperationId, readonly Step[]> {
  const authorization = createAuthorization(deps)
  const { demand, demandAnyRead } = authorization
  const { showIndex, showWorkload, showPlan, resume, listNamespace, listWorkloads } = createReads(
    deps,
    authorization,
  )
  const write = asked.createWrites(deps, waitingRoom)
  return {
    index: [showIndex],
    listWorkloads: [resume, demandAnyRead, listWorkloads],
    listNamespace: [resume, demand('list'), listNamespace],
    read: [demand('read'), showWorkload],
    readStatus: [demand('read'), showWorkload],
    plan: [demand('read'), showPlan],
    enable: [demand('change'), write(asked.enable)],
    disable: [demand('change'), write(asked.disable, guardHeld(deps, authorization))],
    schedule: [demand('change'), write(asked.schedule)],
    override: [demand('scale'), write(asked.override)],
    clearOverride: [demand('scale'), write(asked.clearOverride)],
    pin: [demand('scale'), write(asked.pin)],
    unpin: [demand('scale'), write(asked.unpin)],
    snooze: [demand('scale'), write(asked.snooze)],
    wake: [demand('scale'), write(asked.wake)],
  }
}

/** The routes of the document, each checked by it; then the answers to what is none of them. */
export function createRoutes(deps: ApiDeps, ajv: Ajv2020, waitingRoom: WaitingRoom): Step[] {
  const router = new Router<ApiState>({ strict: true, sensitive: true })
  const routes = routesOf(deps, waitingRoom)
  router.param('kind', demandKind)
  for (const { method, path, operation } of operations()) {
    const { operationId: id } = operation
    const record: Step[] = method === 'get' ? [] : [audit(deps.logger, id)]
    router[method](
      path.replaceAll(/\{(\w+)\}/g, ':$1'),
      named(path),
      ...record,
      readBody(deps.settings.bodyLimit),
      validate(ajv, operation),
      ...routes[id],
    )
  }
  // answered before anybody is asked for a token; here for those who come with another method
  router.get(OPENAPI_PATH, describe)
  return [router.routes() as Step, refuseUnmatched]
}

function named(route: string): Step {
  return async (ctx, next) => {
    ctx.state.route = route
    await next()
  }
}

/** What will one day be asked of a whole namespace. */
const BULK = new Set(['snooze', 'wake', 'pin', 'override'])

function refuseBulk(action: string, method: string, namespace: string): void {
  if (!BULK.has(action) || !['POST', 'DELETE'].includes(method)) return
  throw new Refusal(
    'NOT_FOUND',
    `there is no ${action} of a whole namespace yet: send ${method} /api/v1/namespaces/${namespace}/{kind}/{name}/${action} ` +
      `for each workload; GET /api/v1/workloads?namespace=${namespace} lists them`,
  )
}

function demandKind(kind: string, _ctx: unknown, next: () => Promise<unknown>): Promise<unknown> {
  if (isKind(kind)) return next()
  throw new Refusal('NOT_FOUND', `there is no such kind: it must be one of ${KINDS.join(', ')}`)
}

/** Says which methods a path has, or that there is no such path. */
const refuseUnmatched: Step = async (ctx) => {
  const layers = (ctx['matched'] ?? []) as Layer[]
  const [first] = layers
  if (typeof first?.path !== 'string') {
    throw new Refusal('NOT_FOUND', 'there is no such path: see /api/v1/openapi.json for those that there are')
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

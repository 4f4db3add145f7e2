import { actionOf, requestFrom } from '../../domain/requests/call.ts'
import { isForMany, OPERATIONS, PARAMETERS, type Request } from '../../domain/requests/operations.ts'
import type { WorkloadKey } from '../../domain/workload/workload.ts'
import { Refusal } from '../../process/errors.ts'
import type { Dormouse } from '../../client/ports.ts'
import { askAll } from './bulk.ts'
import type { Answered, Call } from './call.ts'

const NAME = '[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?'
const WORKLOAD = new RegExp(`^/namespaces/(${NAME})/(${NAME})/(${NAME})/([a-z]+)$`)
const NAMESPACE = new RegExp(`^/namespaces/(${NAME})/([a-z]+)$`)
/** The API's limit for looking ahead. */
const MOST_HOURS = 744

/**
 * Answers the page's calls of the v1 API with the person's own rights; `shown`: the namespace of the list, undefined: all.
 * @throws Refusal, and errors of the port
 */
export async function answerCall(
  dormouse: Dormouse,
  call: Call,
  shown: string | undefined,
): Promise<Answered> {
  const { method, path, query } = call
  if (path === '' && method === 'GET')
    return { message: 'what can be asked for', data: await indexOf(dormouse) }
  if (path === '/namespaces' && method === 'GET')
    return { message: 'all that you may see', data: await dormouse.summaries({ namespace: shown }) }
  const [, namespace = '', kind = '', name = '', action = ''] = WORKLOAD.exec(path) ?? []
  if (action !== '') {
    const key = await keyOf(dormouse, namespace, kind, name)
    if (action === 'plan' && method === 'GET') return plan(dormouse, key, query)
    return write(dormouse, key, requestOf(call, action), isDry(query))
  }
  const [, all = '', verb = ''] = NAMESPACE.exec(path) ?? []
  if (verb !== '') return askAll(dormouse, all, requestOfMany(call, verb), isDry(query), call)
  throw unknown()
}

async function indexOf(dormouse: Dormouse) {
  const [kinds, { cluster, user }] = await Promise.all([dormouse.kinds(), dormouse.whoami()])
  return { kinds, cluster, user }
}

async function plan(dormouse: Dormouse, key: WorkloadKey, query: URLSearchParams): Promise<Answered> {
  const hours = Number(query.get('hours') ?? '24')
  if (!Number.isInteger(hours) || hours < 1 || hours > MOST_HOURS)
    throw new Refusal('VALIDATION_ERROR', `hours: expected a whole number from 1 to ${MOST_HOURS}`)
  const [schedule, timezone] = ['schedule', 'timezone'].map((name) => query.get(name) ?? undefined)
  const data = await dormouse.plan(key, hours, { schedule, timezone })
  return { message: `what comes in the next ${hours} hours if nobody acts`, data }
}

async function write(
  dormouse: Dormouse,
  key: WorkloadKey,
  request: Request,
  dryRun: boolean,
): Promise<Answered> {
  const { messages, after } = await dormouse.request(key, request, dryRun)
  const { record } = await after()
  return { message: messages.join('; '), data: record }
}

async function keyOf(
  dormouse: Dormouse,
  namespace: string,
  text: string,
  name: string,
): Promise<WorkloadKey> {
  const kind = (await dormouse.kinds()).find((each) => each === text)
  if (kind === undefined) throw unknown()
  return { kind, namespace, name }
}

function isDry(query: URLSearchParams): boolean {
  return query.get('dryRun') === 'true'
}

/** The request for one workload; `last`: the last segment of the path. @throws Refusal */
function requestOf({ method, query, body }: Call, last: string): Request {
  const action = actionOf(method, last)
  if (action === undefined) throw unknown()
  const said = (body ?? {}) as Readonly<Record<string, unknown>>
  const { takes } = OPERATIONS[action]
  const known = takes.filter((name) => PARAMETERS[name].in === 'body')
  if (Object.keys(said).some((name) => !known.some((each) => each === name)))
    throw new Refusal('VALIDATION_ERROR', `body: expected ${known.join(' and ') || 'none'}`)
  return requestFrom(action, { query: Object.fromEntries(query), body: said })
}

/** The request for every workload of a namespace. @throws Refusal */
function requestOfMany(call: Call, last: string): Request {
  const request = requestOf(call, last)
  if (!isForMany(request.action)) throw unknown()
  if (request.action === 'wake' && request.shorten)
    throw new Refusal('VALIDATION_ERROR', 'shorten: not for a whole namespace')
  return request
}

function unknown(): Refusal {
  return new Refusal(
    'NOT_FOUND',
    "there is no such path here: this server has what the console's page needs, Dormouse's own API has all",
  )
}

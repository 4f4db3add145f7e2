import { A_DURATION, durationIn } from '../../domain/schedule/duration.ts'
import type { Request } from '../../domain/requests/request.ts'
import type { WorkloadKey } from '../../domain/workload/workload.ts'
import { Refusal } from '../../service/process/errors.ts'
import type { Dormouse } from '../../client/ports.ts'
import { askAll } from './bulk.ts'
import type { Answered, Call } from './call.ts'

const NAME = '[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?'
const WORKLOAD = new RegExp(`^/namespaces/(${NAME})/(${NAME})/(${NAME})/([a-z]+)$`)
const NAMESPACE = new RegExp(`^/namespaces/(${NAME})/([a-z]+)$`)
/** The API's limit for looking ahead. */
const MOST_HOURS = 744

/**
 * Answers the page's calls of the v1 API with the person's own rights.
 * @throws Refusal, and errors of the port
 */
export async function answerCall(dormouse: Dormouse, call: Call): Promise<Answered> {
  const { method, path, query } = call
  if (path === '' && method === 'GET')
    return { message: 'what can be asked for', data: { kinds: await dormouse.kinds() } }
  const [, namespace = '', kind = '', name = '', action = ''] = WORKLOAD.exec(path) ?? []
  if (action !== '') {
    const key = await keyOf(dormouse, namespace, kind, name)
    if (action === 'plan' && method === 'GET') return plan(dormouse, key, query)
    return write(dormouse, key, settingOf(call, action) ?? requestOf(method, action, query), isDry(query))
  }
  const [, all = '', verb = ''] = NAMESPACE.exec(path) ?? []
  if (verb !== '') return askAll(dormouse, all, requestOf(method, verb, query), isDry(query), call)
  throw unknown()
}

async function plan(dormouse: Dormouse, key: WorkloadKey, query: URLSearchParams): Promise<Answered> {
  const hours = Number(query.get('hours') ?? '24')
  if (!Number.isInteger(hours) || hours < 1 || hours > MOST_HOURS)
    throw new Refusal('VALIDATION_ERROR', `hours: expected a whole number from 1 to ${MOST_HOURS}`)
  const data = await dormouse.plan(key, hours)
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

/** The call that changes the settings of one workload; undefined: another call. @throws Refusal */
function settingOf({ method, body }: Call, action: string): Request | undefined {
  const hours = () => {
    const { schedule, timezone, ...others } = (body ?? {}) as Readonly<Record<string, unknown>>
    const isText = (value: unknown) => value === undefined || typeof value === 'string'
    if (isText(schedule) && isText(timezone) && Object.keys(others).length === 0)
      return {
        ...(schedule !== undefined && { schedule }),
        ...(timezone !== undefined && { timezone }),
      } as Hours
    throw new Refusal('VALIDATION_ERROR', 'body: expected schedule and timezone, both texts')
  }
  switch (`${method} ${action}`) {
    case 'POST enable':
      return { action: 'enable', ...hours() }
    case 'PUT schedule':
      return { action: 'schedule', ...hours() }
    case 'POST disable':
      return { action: 'disable' }
    default:
      return undefined
  }
}

interface Hours {
  readonly schedule?: string
  readonly timezone?: string
}

function requestOf(method: string, action: string, query: URLSearchParams): Request {
  const text = query.get('for')
  const duration = text === null ? undefined : durationIn(text)
  if (text !== null && duration === undefined)
    throw new Refusal('VALIDATION_ERROR', `for: expected ${A_DURATION}`)
  const limit = duration === undefined ? {} : { for: duration }
  switch (`${method} ${action}`) {
    case 'POST wake':
      return { action: 'wake', ...limit }
    case 'POST snooze':
      return { action: 'snooze', ...limit }
    case 'POST override':
      return { action: 'override', duration: null }
    case 'DELETE override':
      return { action: 'clear-override' }
    case 'POST pin':
      return { action: 'pin' }
    case 'DELETE pin':
      return { action: 'unpin' }
    default:
      throw unknown()
  }
}

function unknown(): Refusal {
  return new Refusal(
    'NOT_FOUND',
    "there is no such path here: this server has what the console's page needs, Dormouse's own API has all",
  )
}

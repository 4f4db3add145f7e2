import { Refusal } from '../../process/errors.ts'
import { A_DURATION, durationIn, durationText } from '../schedule/duration.ts'
import { ACTIONS, OPERATIONS, PARAMETERS, type Action, type Parameter, type Request } from './operations.ts'

type Values = Readonly<Record<string, unknown>>

/** Query and body of an API call: texts, or values of JSON. */
interface CallArguments {
  readonly query: Values
  readonly body: Values
}

/** The API call for a request, its path relative to the workload: `/pin`; undefined: the API has no such operation. */
export function callOf(request: Request) {
  const { call } = OPERATIONS[request.action]
  if (call === undefined) return undefined
  const [method, path] = call.split(' ') as ['POST' | 'PUT' | 'DELETE', string]
  const body = saidIn('body', request)
  return {
    method,
    path: `/${path}`,
    query: saidIn('query', request),
    body: Object.keys(body).length > 0 ? body : undefined,
  }
}

function saidIn(place: 'query' | 'body', request: Request): Record<string, string> {
  const { takes } = OPERATIONS[request.action]
  const values: Partial<Record<Parameter | 'action', string | number | boolean>> = request
  const said: Record<string, string> = {}
  for (const name of takes.filter((each) => PARAMETERS[each].in === place)) {
    const value = values[name]
    if (value !== undefined) said[name] = typeof value === 'number' ? durationText(value) : String(value)
  }
  return said
}

/** The action of a method and a path relative to the workload: `DELETE`, `pin`; undefined: there is none. */
export function actionOf(method: string, path: string): Action | undefined {
  return ACTIONS.find((action) => OPERATIONS[action].call === `${method} ${path}`)
}

/** Reads a request from a call whose path named the action. @throws Refusal VALIDATION_ERROR */
export function requestFrom(action: Action, brought: CallArguments): Request {
  const { takes } = OPERATIONS[action]
  const said: Record<string, unknown> = {}
  for (const name of takes) {
    const { in: place } = PARAMETERS[name]
    const value = place && brought[place][name]
    // An override takes an empty duration for none.
    if (value !== undefined && !(name === 'duration' && value === '')) said[name] = read(name, value)
  }
  return { action, ...said } as Request
}

const EXPECTED = { duration: A_DURATION, flag: 'true or false', text: 'a text', count: 'a count' }

function read(name: Parameter, value: unknown): unknown {
  const { kind } = PARAMETERS[name]
  if (kind === 'duration' && typeof value === 'string') {
    const duration = durationIn(value)
    if (duration !== undefined) return duration
  }
  if (kind === 'flag' && ['true', 'false'].includes(String(value))) return String(value) === 'true'
  if (kind === 'text' && typeof value === 'string') return value
  throw new Refusal('VALIDATION_ERROR', `${name}: expected ${EXPECTED[kind]}`)
}

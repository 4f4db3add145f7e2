import type { Sleep } from '../schedule/schedule.ts'

/** The parameters of requests by their names in the API: the kind of value, and its place in a call. */
export const PARAMETERS = {
  for: { kind: 'duration', in: 'query' },
  force: { kind: 'flag', in: 'query' },
  /** End a wake sooner, which a request would else leave as it is. */
  shorten: { kind: 'flag', in: 'query' },
  /** Remove the setting of the workload itself. */
  inherit: { kind: 'flag', in: 'query' },
  /** Without one an override is permanent. */
  duration: { kind: 'duration', in: 'body' },
  schedule: { kind: 'text', in: 'body' },
  timezone: { kind: 'text', in: 'body' },
  /** The replicas to wake to; only an annotation has it. */
  count: { kind: 'count', in: undefined },
} as const
export type Parameter = keyof typeof PARAMETERS

/** Whether it may be said of workloads that are named alone, not of a whole namespace: it ends what others asked for. */
export function isOfNamed(parameter: Parameter): boolean {
  return parameter === 'shorten'
}

/** An operation that people and programs may request for a workload, and its names in the API, the annotation and the client. */
export interface Operation {
  readonly takes: readonly Parameter[]
  /** The state that it leads to; `either` depends on schedule and state; undefined: it starts and stops no pods. */
  readonly moves?: Sleep | 'either'
  /** Whether it puts to sleep what runs: refused in a backoff and where sleep loses data, unless by `force`. */
  readonly risks?: true
  /** Whether it holds a workload against others, or frees it: the right to patch is then not enough. */
  readonly holds?: boolean
  /** Whether it is allowed while the workload is neither managed nor held. */
  readonly whileUnmanaged?: boolean
  /** Method and path of its API call, relative to the workload; undefined: the API has no such operation. */
  readonly call?: `${'POST' | 'PUT' | 'DELETE'} ${string}`
  /** `scale`: to update the scale, and the API has it for a whole namespace, too; `change`: to patch the workload. */
  readonly right?: 'scale' | 'change'
  /** Whether the API's answer can wait for the pods. */
  readonly waits?: boolean
  /** When it may end a pin or an override, for which the caller of the API also needs the right to scale. */
  readonly ends?: 'always' | 'whenInherited'
  /** The verb in the annotation `dormouse.dev/request`; undefined: the operation sets annotations of its own. */
  readonly verb?: string
  /** The verbs with a flag. */
  readonly flagVerbs?: { readonly [Flag in 'force' | 'shorten']?: string }
  /** The command of `kubectl dormouse`; undefined: there is none. */
  readonly command?: string
}

// prettier-ignore
const TABLE = {
  wake: { call: 'POST wake', right: 'scale', takes: ['for', 'force', 'shorten'], moves: 'awake', waits: true, verb: 'wake', flagVerbs: { shorten: 'shorten-wake' }, command: 'wake' },
  snooze: { call: 'POST snooze', right: 'scale', takes: ['for', 'force'], moves: 'asleep', risks: true, waits: true, verb: 'snooze', flagVerbs: { force: 'force-snooze' }, command: 'snooze' },
  pin: { call: 'POST pin', right: 'scale', takes: [], holds: true, verb: 'pin', command: 'pin' },
  unpin: { call: 'DELETE pin', right: 'scale', takes: [], moves: 'either', holds: true, whileUnmanaged: true, verb: 'unpin', command: 'unpin' },
  override: { call: 'POST override', right: 'scale', takes: ['duration'], holds: true, verb: 'override', command: 'override' },
  clearOverride: { call: 'DELETE override', right: 'scale', takes: [], moves: 'either', holds: true, whileUnmanaged: true, verb: 'resume', command: 'resume' },
  enable: { call: 'POST enable', right: 'change', takes: ['inherit', 'schedule', 'timezone'], moves: 'either', waits: true, ends: 'whenInherited', whileUnmanaged: true, command: 'enable' },
  disable: { call: 'POST disable', right: 'change', takes: ['inherit'], moves: 'either', waits: true, ends: 'always', whileUnmanaged: true, command: 'disable' },
  schedule: { call: 'PUT schedule', right: 'change', takes: ['inherit', 'schedule', 'timezone'], moves: 'either', command: 'schedule' },
  /** Builds a state again that cannot be read; in the API `enable` does so. */
  repair: { takes: [], moves: 'either', whileUnmanaged: true, verb: 'repair' },
  /** Takes over another tool's sleeper. */
  adopt: { takes: ['count'], moves: 'asleep', verb: 'adopt' },
} as const satisfies Record<string, Operation>

type Table = typeof TABLE
export type Action = keyof Table
/** Every operation, in the order in which its verbs are listed. */
export const OPERATIONS: { readonly [A in Action]: Table[A] & Operation } = TABLE
export const ACTIONS = Object.keys(OPERATIONS) as readonly Action[]
/** The actions whose rows have a column. */
type ActionWith<Column extends keyof Operation> = {
  [A in Action]: Table[A] extends Record<Column, unknown> ? A : never
}[Action]
/** The actions that the API has. */
export type ApiAction = ActionWith<'call'>
/** The actions that are refused where sleep is a risk. */
export type RiskyAction = ActionWith<'risks'>
/** The methods and paths of its calls, such as `DELETE pin`. */
export type ApiCall = Table[ApiAction]['call']
/** The actions that have a command. */
export type CommandAction = ActionWith<'command'>
export type CommandName = Table[CommandAction]['command']

export function isApiAction(action: Action): action is ApiAction {
  return OPERATIONS[action].call !== undefined
}

/** Whether the API also has it for a whole namespace. */
export function isForMany(action: Action): action is ApiAction {
  return OPERATIONS[action].right === 'scale'
}

/** Durations in milliseconds. */
interface Kinds {
  duration: number
  flag: boolean
  text: string
  count: number
}
type ValueOf<P extends Parameter> = Kinds[(typeof PARAMETERS)[P]['kind']]
type Taken<A extends Action> = Table[A]['takes'][number]

/** The parameters of an action; only a count is required. */
export type Said<A extends Action> = { readonly [P in Exclude<Taken<A>, 'count'>]?: ValueOf<P> } & {
  readonly [P in Extract<Taken<A>, 'count'>]: ValueOf<P>
}
/** A request: an action and its parameters. */
export type Request<Of extends Action = Action> = { [A in Of]: { readonly action: A } & Said<A> }[Of]

export function isRisky(request: Request): request is Extract<Request, { action: RiskyAction }> {
  return OPERATIONS[request.action].risks === true
}

import type { Sleep } from '../schedule/schedule.ts'

/** The parameters of requests by their names in the API: the kind of value, and its place in a call. */
export const PARAMETERS = {
  for: { kind: 'duration', in: 'query' },
  force: { kind: 'flag', in: 'query' },
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

/** The API call of an operation. */
interface ApiCall {
  readonly method: 'POST' | 'PUT' | 'DELETE'
  /** Relative to the workload; for a `BulkAction` also to the namespace. */
  readonly path: string
  /** `scale`: to update the scale; `change`: to patch the workload. */
  readonly right: 'scale' | 'change'
  /** Whether the answer can wait for the pods. */
  readonly waits?: boolean
  /** When it may end a pin or an override, for which the caller also needs the right to scale. */
  readonly ends?: 'always' | 'whenInherited'
}

/** An operation that people and programs may request for a workload, and its names in the API, the annotation and the client. */
export interface Operation {
  readonly takes: readonly Parameter[]
  /** The state that it leads to; `either` depends on schedule and state; undefined: it starts and stops no pods. */
  readonly moves?: Sleep | 'either'
  /** Whether it holds a workload against others, or frees it: the right to patch is then not enough. */
  readonly holds?: boolean
  /** Whether it is allowed while the workload is neither managed nor held. */
  readonly whileUnmanaged?: boolean
  /** undefined: the API has no such operation. */
  readonly call?: ApiCall
  /** The verb in the annotation `dormouse.dev/request`; undefined: the operation sets annotations of its own. */
  readonly verb?: string
  /** The verb with `force`. */
  readonly forcedVerb?: string
  /** The command of `kubectl dormouse`; undefined: there is none. */
  readonly command?: string
}

const TABLE = {
  wake: {
    takes: ['for', 'force'],
    moves: 'awake',
    call: { method: 'POST', path: 'wake', right: 'scale', waits: true },
    verb: 'wake',
    command: 'wake',
  },
  snooze: {
    takes: ['for', 'force'],
    moves: 'asleep',
    call: { method: 'POST', path: 'snooze', right: 'scale', waits: true },
    verb: 'snooze',
    forcedVerb: 'force-snooze',
    command: 'snooze',
  },
  pin: {
    takes: [],
    holds: true,
    call: { method: 'POST', path: 'pin', right: 'scale' },
    verb: 'pin',
    command: 'pin',
  },
  unpin: {
    takes: [],
    moves: 'either',
    holds: true,
    whileUnmanaged: true,
    call: { method: 'DELETE', path: 'pin', right: 'scale' },
    verb: 'unpin',
    command: 'unpin',
  },
  override: {
    takes: ['duration'],
    holds: true,
    call: { method: 'POST', path: 'override', right: 'scale' },
    verb: 'override',
    command: 'override',
  },
  clearOverride: {
    takes: [],
    moves: 'either',
    holds: true,
    whileUnmanaged: true,
    call: { method: 'DELETE', path: 'override', right: 'scale' },
    verb: 'resume',
    command: 'resume',
  },
  enable: {
    takes: ['inherit', 'schedule', 'timezone'],
    moves: 'either',
    whileUnmanaged: true,
    call: { method: 'POST', path: 'enable', right: 'change', waits: true, ends: 'whenInherited' },
    command: 'enable',
  },
  disable: {
    takes: ['inherit'],
    moves: 'either',
    whileUnmanaged: true,
    call: { method: 'POST', path: 'disable', right: 'change', waits: true, ends: 'always' },
    command: 'disable',
  },
  schedule: {
    takes: ['inherit', 'schedule', 'timezone'],
    moves: 'either',
    call: { method: 'PUT', path: 'schedule', right: 'change' },
    command: 'schedule',
  },
  /** Builds a state again that cannot be read; in the API `enable` does so. */
  repair: { takes: [], moves: 'either', whileUnmanaged: true, verb: 'repair' },
  /** Takes over what another tool put to sleep. */
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
/** The actions that the API also has for a whole namespace: those that need the right to scale. */
export type BulkAction = {
  [A in ApiAction]: Table[A]['call']['right'] extends 'scale' ? A : never
}[ApiAction]
/** The methods and paths of the API's actions, such as `DELETE pin`. */
export type ApiWords = {
  [A in ApiAction]: `${Table[A]['call']['method']} ${Table[A]['call']['path']}`
}[ApiAction]
/** The actions that have a command. */
export type CommandAction = ActionWith<'command'>
export type CommandName = Table[CommandAction]['command']

export function isApiAction(action: Action): action is ApiAction {
  return OPERATIONS[action].call !== undefined
}

export function isBulkAction(action: Action): action is BulkAction {
  return OPERATIONS[action].call?.right === 'scale'
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
export type Request = { [A in Action]: { readonly action: A } & Said<A> }[Action]

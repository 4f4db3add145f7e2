import { flag, READ_AS, text, whole, type Schema, type ValueOf } from '../../../domain/json-schema.ts'
import { KINDS, type Kind } from '../../../domain/kinds.ts'
import { STATE_FILTERS, type StateFilter } from '../../../domain/records/workload-state.ts'
import { A_DURATION, aDuration } from '../../../domain/schedule/duration.ts'
import { WAIT_BOUNDS } from './formats.ts'
import { duration, patterned } from './schema.ts'

/** Defaults of `hours` and `limit`. */
export const PLAN_HOURS = 48
export const PAGE_SIZE = 100
/** The most transitions of a page of a plan. */
export const PLAN_PAGE = 200

const DNS_LABEL = '[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?'

const namespace = patterned(DNS_LABEL, 'the name of a namespace', { maxLength: 63 })
export const kind: Schema<Kind> = { type: 'string', enum: KINDS }
/** As Kubernetes has it (RFC 1123 subdomains): 63 characters are the limit of a namespace, not of a workload's name. */
const NAME_PART = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?'
const name = patterned(`${NAME_PART}(?:\\.${NAME_PART})*`, 'the name of a workload', { maxLength: 253 })

const state: Schema<StateFilter> = { type: 'string', enum: STATE_FILTERS }
const labelSelector: Schema<string> = {
  type: 'string',
  maxLength: 4096,
  format: 'label-selector',
  [READ_AS]: 'labelSelector',
  examples: ['app=web,tier notin (db)'],
}

export const schedule: Schema<string> = {
  type: 'string',
  maxLength: 512,
  format: 'schedule',
  [READ_AS]: 'schedule',
  description:
    'The hours to be awake: windows `<start>-<end>,<days>` or, over days, `<day> <start>-<day> <end>`, joined by `;`. Without days: every day. An end before its start is of the next day; one equal to it is refused. Empty: none',
  examples: ['8:00-18:00,Mon-Fri'],
}

/** A parameter without its name and place. */
export interface Described {
  readonly description: string
  readonly schema: Schema
  readonly example?: unknown
}

/** The values of such parameters. */
export type ParameterValues<Of extends Readonly<Record<string, Described>>> = {
  readonly [Name in keyof Of]: ValueOf<Of[Name]['schema']>
}

/** The parameters of paths. */
export const PATH_PARAMETERS = {
  namespace: { description: 'Its namespace', schema: namespace, example: 'shop' },
  kind: { description: 'Its kind', schema: kind, example: 'deployments' },
  name: { description: 'Its name', schema: name, example: 'web' },
} as const satisfies Record<string, Described>

/** The parameters of queries; each operation names those that it takes. */
export const QUERY_PARAMETERS = {
  dryRun: { description: 'Answer what would happen and change nothing', schema: flag },
  wait: {
    description:
      'Answer once the pods have followed; after this time, or at once where too many wait, with operation_in_progress true',
    schema: duration('wait', aDuration(WAIT_BOUNDS)),
    example: '60s',
  },
  for: {
    description: 'How long it stays so, whatever the schedule says',
    schema: duration('limit', A_DURATION),
    example: '2h',
  },
  force: {
    description:
      'Do it even during backoff, and even where a StatefulSet would lose its volumes (`DATA_AT_RISK`)',
    schema: flag,
  },
  shorten: {
    description:
      'End a wake that is in force sooner, too: without it, a wake that would last longer stays as it is, whoever asked for it',
    schema: flag,
  },
  inherit: {
    description:
      'Remove the setting of the workload itself: then the one of its Namespace or of a policy of the configuration holds, if any',
    schema: flag,
  },
  hours: {
    description: 'How far to look ahead',
    schema: { ...whole(1, 744), default: PLAN_HOURS },
  },
  schedule: { description: 'As if it were managed, and awake in these hours; empty: none', schema: schedule },
  timezone: {
    description: 'As if it were managed, and its hours in this zone (IANA name)',
    schema: { type: 'string', maxLength: 64, [READ_AS]: 'timezone', examples: ['Europe/Berlin'] },
  },
  namespace: { description: 'Only this namespace', schema: namespace, example: 'shop' },
  kind: { description: 'Only this kind', schema: kind, example: 'deployments' },
  state: {
    description:
      'Only workloads in this state; late: whose wake took too long, and whose pods are still missing',
    schema: state,
  },
  labelSelector: {
    description: 'Only workloads with these labels, in the syntax of kubectl --selector',
    schema: labelSelector,
  },
  limit: {
    description: 'The most records of a page; a page may have fewer although more follow',
    schema: { ...whole(1, 500), default: PAGE_SIZE },
  },
  continue: {
    description: 'The `continue` of the previous page',
    schema: { ...text, maxLength: 1024 },
  },
  watch: {
    description:
      'Stream the list as server-sent events: each record as it is, then each change; without pages',
    schema: flag,
  },
} as const satisfies Record<string, Described>

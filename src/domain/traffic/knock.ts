import { count, flag, listOf, oneOf, orNull, record, text, type ValueOf } from '../json-schema.ts'

/** The path at which wakers ask whether a Service's sleepers may wake. */
export const KNOCK_PATH = '/api/v1/knock'
/** Workloads that one Service may name, at most. */
export const MOST_KNOCKED = 64

/** How the workloads of a Service stand to its traffic, together or each, from the one that says most to a caller. */
export const KNOCK_STATES = ['waking', 'asleep', 'held', 'awake', 'off'] as const
export type KnockState = (typeof KNOCK_STATES)[number]

/** Names of Kubernetes; '' where there is none. They are written into histories, so a stolen token may not choose freely. */
const label = { ...text, maxLength: 63, pattern: '^[a-z0-9-]*$' }

/** Traffic to a port of a Service whose sleepers are `workloads`, such as `deployments/web`. */
export const KNOCK = record('Traffic to a sleeper', {
  namespace: label,
  service: label,
  /** The port's name; '' where the Service has one without. */
  port: label,
  workloads: { ...listOf(text), maxItems: MOST_KNOCKED },
  /** false: it only looks. */
  wake: flag,
})
export type Knock = ValueOf<typeof KNOCK>

export const KNOCK_ANSWER = record('What traffic finds', {
  state: oneOf(KNOCK_STATES),
  /** Whether this knock wrote a wake. */
  woken: flag,
  /** asleep, held: until then, in ISO 8601; null: nobody knows. */
  until: orNull(text),
  /** Whether one wakes for longer than operationTimeout. */
  late: flag,
  /** How long their wakes took, by their history; null: none is known. */
  usual_seconds: orNull(count),
  workloads: listOf(
    record('A workload of the Service', {
      kind: text,
      name: text,
      state: oneOf(KNOCK_STATES),
      reason: text,
    }),
  ),
})
export type KnockAnswer = ValueOf<typeof KNOCK_ANSWER>

/** The answers about parts of a Service's workloads, as one about all of them; of none: `off`. */
export function together(answers: readonly KnockAnswer[]): KnockAnswer {
  const state = KNOCK_STATES.find((each) => answers.some((answer) => answer.state === each)) ?? 'off'
  const ends = answers.flatMap((each) => (each.state === state && each.until !== null ? [each.until] : []))
  const usual = answers.flatMap(({ usual_seconds: seconds }) => seconds ?? [])
  return {
    state,
    woken: answers.some(({ woken }) => woken),
    until: ends.toSorted()[0] ?? null,
    late: answers.some(({ late }) => late),
    usual_seconds: usual.length === 0 ? null : Math.max(...usual),
    workloads: answers.flatMap(({ workloads }) => workloads),
  }
}

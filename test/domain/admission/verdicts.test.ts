import { expect } from 'chai'
import { admitScale } from '../../../src/domain/admission/scale.ts'
import { ASLEEP_LABEL, type BuiltInKind, type Workload } from '../../../src/domain/workload/workload.ts'
import { stateOf } from '../../support/decisions.ts'
import { at, RULES } from '../../support/rules.ts'
import { BY_KIND, type AWorkload } from '../../support/workloads.ts'
import { NOON } from '../fixtures.ts'
import { updated, type Options } from './updates.ts'

const BY_REQUEST = { at: at('Mon 7:00'), trigger: 'api', by: 'k8s:alice' } as const
const STATES: readonly ((awake: AWorkload) => AWorkload)[] = [
  (awake) => awake.annotated({ enabled: undefined, state: undefined }),
  (awake) => awake,
  (awake) => awake.snoozed(BY_REQUEST),
  (awake) => awake.pinned(),
  (awake) => awake.snoozed(BY_REQUEST).pinned(),
  (awake) => awake.overridden(),
  (awake) => awake.snoozed(BY_REQUEST).overridden(),
]

/**
 * Each act, and its result by state: the verdict with its reason, the count, and what stays kept. The
 * columns: unmanaged, awake, asleep, pinned awake, pinned asleep, overridden awake, overridden asleep.
 */
const COUNTS = `
  scale to 5               | allowed not_managed | allowed free | allowed manual_wake | denied pinned | denied pinned | denied overridden | denied overridden
  scale to 0               | allowed not_managed | allowed free | allowed no_count_change | denied pinned | allowed no_count_change | denied overridden | allowed no_count_change
  scale to 3               | allowed no_count_change | allowed no_count_change | allowed manual_wake | allowed no_count_change | denied pinned | allowed no_count_change | denied overridden
  update to 5              | allowed free 5  | allowed free 5  | patched absorbed 0 keeps 5 | denied pinned | denied pinned   | denied overridden   | denied overridden
  update to 3              | allowed free 3  | allowed free 3  | patched absorbed 0 keeps 3 | allowed free 3 | patched held 0 keeps 3 | allowed free 3 | patched held 0 keeps 3
  rollout with 5           | allowed free 5  | allowed free 5  | patched absorbed 0 keeps 5 | patched held 3 | patched held 0 keeps 3 | patched held 3 | patched held 0 keeps 3
  rollout                  | allowed free 3  | allowed free 3  | allowed free 0 keeps 3 | allowed free 3 | allowed free 0 keeps 3 | allowed free 3 | allowed free 0 keeps 3
`
const KEYS = `
  put our key on           | -               | patched held 3  | allowed free 0 keeps 3     | denied pinned | allowed free 0 keeps 3 | denied overridden | allowed free 0 keeps 3
  take our key away        | allowed free 3  | allowed free 3  | patched manual_wake 3 | allowed free 3  | denied pinned        | allowed free 3      | denied overridden
  rollout without our key  | allowed free 3  | allowed free 3  | patched absorbed 0 keeps 3 | allowed free 3 | patched absorbed 0 keeps 3 | allowed free 3 | patched absorbed 0 keeps 3
`
const SUSPENSIONS = `
  update to 0              | allowed free 0  | allowed free 0  | allowed free 0 keeps 1 | denied pinned  | allowed free 0 keeps 1 | denied overridden | allowed free 0 keeps 1
  update to 1              | allowed free 1  | allowed free 1  | patched manual_wake 1 | allowed free 1  | denied pinned        | allowed free 1      | denied overridden
  apply 1                  | allowed free 1  | allowed free 1  | patched absorbed 0 keeps 1 | allowed free 1 | patched held 0 keeps 1 | allowed free 1 | patched held 0 keeps 1
`
const MARKS = `
  disable                  | allowed free    | allowed free    | allowed free          | denied pinned   | denied pinned        | denied overridden   | denied overridden
  remove enabled           | allowed free    | allowed free    | allowed free          | denied pinned   | denied pinned        | denied overridden   | denied overridden
  write enabled=maybe      | denied invalid_annotation | denied invalid_annotation | denied invalid_annotation | denied invalid_annotation | denied invalid_annotation | denied invalid_annotation | denied invalid_annotation
`
const REQUESTS = `
  ask to wake              | denied request_refused  | patched requested 3 | patched requested 3 | denied request_refused | denied request_refused | patched requested 3 | patched requested 3
  ask to snooze            | denied request_refused  | patched requested 0 keeps 3 | patched requested 0 keeps 3 | denied request_refused | denied request_refused | patched requested 0 keeps 3 | patched requested 0 keeps 3
  ask to unpin             | patched requested 3 | patched requested 3 | patched requested 0 keeps 3 | patched requested 3 | patched requested 0 keeps 3 | patched requested 3 | patched requested 0 keeps 3
  ask to resume            | patched requested 3 | patched requested 3 | patched requested 0 keeps 3 | patched requested 3 | patched requested 0 keeps 3 | patched requested 3 | patched requested 0 keeps 3
`

type Act = (before: AWorkload) => { after: Workload; how?: Options }
const to =
  (replicas: number, how: Options = {}): Act =>
  (before) => ({ after: before.withReplicas(replicas), how })
const ACTS: Readonly<Record<string, Act>> = {
  'update to 0': to(0),
  'update to 1': to(1),
  'update to 3': to(3),
  'update to 5': to(5),
  'apply 1': to(1, { isApply: true }),
  'rollout with 5': to(5, { otherChanges: true }),
  rollout: (before) => ({ after: before.with({ generation: 9 }), how: { otherChanges: true } }),
  'put our key on': (before) => ({ after: before.with({ snoozeKey: 'true', hasNodeSelector: true }) }),
  'take our key away': (before) => ({ after: before.withoutItsKey() }),
  'rollout without our key': (before) => ({ after: before.withoutItsKey(), how: { otherChanges: true } }),
  disable: (before) => ({ after: before.annotated({ enabled: 'false' }) }),
  'remove enabled': (before) => ({ after: before.annotated({ enabled: undefined }) }),
  'write enabled=maybe': (before) => ({ after: before.annotated({ enabled: 'maybe' }) }),
  ...Object.fromEntries(
    ['wake', 'snooze', 'unpin', 'resume'].map((request): [string, Act] => [
      `ask to ${request}`,
      (before) => ({ after: before.annotated({ request }) }),
    ]),
  ),
}

function verdictOf(does: string, before: AWorkload): string {
  const [, count] = /^scale to (\d)$/.exec(does) ?? []
  if (count !== undefined) {
    const { type, reason } = admitScale(before, Number(count), NOON, RULES)
    return `${type} ${reason}`
  }
  const { after, how } = ACTS[does]!(before)
  const { type, reason, result } = updated(before, after, how)
  const label = result.labels?.[ASLEEP_LABEL]
  const kept = label === undefined ? '' : ` keeps ${label}`
  const runs = result.snoozeKey === undefined ? result.replicas : 0
  expect(stateOf(result).asleep, 'label and state agree').to.equal(kept !== '')
  return type === 'denied' ? `${type} ${reason}` : `${type} ${reason} ${runs}${kept}`
}

describe('the verdict on what others do, by the state of the workload', () => {
  const tables: [BuiltInKind, string][] = [
    ['deployments', COUNTS],
    ['statefulsets', COUNTS],
    ['replicasets', COUNTS],
    ['daemonsets', KEYS],
    ['cronjobs', SUSPENSIONS],
    ['deployments', MARKS],
    ['daemonsets', MARKS],
    ['deployments', REQUESTS],
    ['daemonsets', REQUESTS],
  ]
  for (const [kind, table] of tables)
    for (const line of table.trim().split('\n')) {
      const [does = '', ...cells] = line.split('|').map((cell) => cell.trim())
      it(`${does}: ${kind}`, () => {
        const count = kind === 'cronjobs' ? 1 : 3
        const awake = BY_KIND[kind]().withReplicas(count).enabled().remembering({})
        const found = STATES.map((state, column) => {
          if (cells[column] === '-') return '-'
          const said = verdictOf(does, state(awake))
          return cells[column]!.split(' ').length > 2 ? said : said.split(' ').slice(0, 2).join(' ')
        })
        expect(found).to.deep.equal(cells)
      })
    }
})

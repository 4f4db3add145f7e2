import { expect } from 'chai'
import fc from 'fast-check'
import { HPAS } from '../../../src/domain/autoscaling/hpa.ts'
import { pausedByOthers } from '../../../src/domain/autoscaling/scaled-object.ts'
import { annotationAt } from '../../../src/domain/annotations.ts'
import {
  MARK,
  pausedAt,
  valueOf,
  type Companion,
  type CompanionRow,
} from '../../../src/domain/companions/companion.ts'
import { keptBy } from '../../../src/domain/companions/mark.ts'
import { linkText, linkTextOf, targetOf } from '../../../src/domain/companions/link.ts'
import { pauseChange, pausePatch, restOf } from '../../../src/domain/companions/pause.ts'
import { trimCompanion } from '../../../src/kubernetes/companion-store.ts'
import { stepped } from '../../support/decisions.ts'
import { valueAt } from '../../../src/domain/json-pointer.ts'
import { applied } from '../../support/json-patch.ts'
import { RULES } from '../../support/rules.ts'
import { aScaledObject, KEDA, PAUSED } from '../../support/scaled-objects.ts'
import { asleep, awake, NIGHT, unscheduled } from '../fixtures.ts'

const annotated = (annotations: NonNullable<Parameters<typeof aScaledObject>[0]>['annotations'] = {}) =>
  aScaledObject({ annotations })

const CLUSTERS = { base: '/apis/example.com/v1', kind: 'Cluster' }
const OWNERS = { resource: 'clusters.example.com', link: { by: 'owner' } } as const
const BY_LABEL: CompanionRow = {
  ...OWNERS,
  place: '/metadata/labels/example.com~1paused',
  pause: pausedAt('true'),
}
const BY_PATH: CompanionRow = { ...OWNERS, place: '/spec/run/suspend', pause: pausedAt(true) }
const BY_ANNOTATION: CompanionRow = {
  ...OWNERS,
  place: annotationAt('example.com/managed'),
  pause: pausedAt('false'),
}

/** An object of a row with these parts. */
function aCompanion(
  row: CompanionRow,
  object: { readonly metadata?: object; readonly spec?: object },
): Companion {
  const metadata = { namespace: 'shop', name: 'db', uid: 'db-1', resourceVersion: '1', ...object.metadata }
  return trimCompanion(row, CLUSTERS, { ...object, metadata })
}

const MARKED = fc.option(fc.constantFrom('', '0', '3', 'x', 'true', '"a"'), { nil: undefined })
const FLAG = fc.option(fc.constantFrom('true', 'false', 'yes'), { nil: undefined })
const TEXT = fc.option(fc.constantFrom('0', '3', '', 'true', 'false'), { nil: undefined })

function given(entries: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined))
}

/** Any object of any row, with or without the objects around its places. */
const COMPANION: fc.Arbitrary<Companion> = fc.oneof(
  fc
    .record({
      mark: MARKED,
      pausedReplicas: fc.option(fc.constantFrom('0', '3'), { nil: undefined }),
      paused: FLAG,
    })
    .map((annotations) => annotated(given(annotations))),
  fc
    .record({
      row: fc.constantFrom(BY_LABEL, BY_ANNOTATION),
      mark: MARKED,
      value: TEXT,
      has: fc.boolean(),
    })
    .map(({ row, mark, value, has }) => {
      const marked = given({ 'dormouse.dev/paused': mark })
      const annotations =
        row === BY_LABEL ? marked : { ...marked, ...given({ 'example.com/managed': value }) }
      const labels = row === BY_LABEL ? given({ 'example.com/paused': value }) : {}
      const present = Object.entries({ annotations, labels }).filter(
        ([, map]) => has || Object.keys(map).length > 0,
      )
      return aCompanion(row, { metadata: Object.fromEntries(present) })
    }),
  fc
    .record({
      mark: MARKED,
      spec: fc.constantFrom({}, { run: {} }, { run: { suspend: false } }, { run: { suspend: true } }),
    })
    .map(({ mark, spec }) => {
      const annotations = given({ 'dormouse.dev/paused': mark })
      return aCompanion(BY_PATH, { metadata: { ...(mark !== undefined && { annotations }) }, spec })
    }),
)

/** The object as the API server leaves it after a change; undefined: the patch does not apply. */
function written(companion: Companion, rest: number | false): Companion | undefined {
  const change = pauseChange(companion, rest)
  if (!change) return companion
  const after = applied(objectOf(companion), pausePatch(companion, change))
  return after && trimCompanion(companion.row, companion.served, after)
}

function objectOf({ uid, name, namespace, resourceVersion, object }: Companion) {
  const { metadata, ...others } = object as { metadata?: object }
  return { ...others, metadata: { ...metadata, uid, name, namespace, resourceVersion } }
}

describe('the pause of what stands beside a workload', () => {
  it('begins while its workload sleeps, and remembers that there was no value before', () => {
    expect(pauseChange(annotated(), 0)).to.deep.equal({ value: '0', mark: '' })
    expect(pauseChange(annotated(PAUSED), 0)).to.equal(undefined)
  })

  it('ends once its workload sleeps no more, and leaves nothing behind', () => {
    expect(pauseChange(annotated(PAUSED), false)).to.deep.equal({ value: null, mark: null })
    expect(pauseChange(annotated(), false)).to.equal(undefined)
  })

  it('gives back the value that there was before, also one that a mark of a former release keeps', () => {
    for (const [former, mark] of [
      ['4', '4'],
      ['4', '"4"'],
    ])
      expect(pauseChange(annotated({ pausedReplicas: '0', mark: mark! }), false)).to.deep.equal({
        value: former,
        mark: null,
      })
    const paused = aCompanion(BY_PATH, {
      metadata: { annotations: { 'dormouse.dev/paused': 'false' } },
      spec: { run: { suspend: true } },
    })
    expect(pauseChange(paused, false)).to.deep.equal({ value: false, mark: null })
  })

  it('begins again where somebody has taken it away, and keeps what they set in its place', () => {
    expect(pauseChange(annotated({ mark: '' }), 0)).to.deep.equal({ value: '0', mark: '' })
    expect(pauseChange(annotated({ mark: '4' }), 0)).to.deep.equal({ value: '0', mark: '"4"' })
    const synced = aCompanion(BY_LABEL, {
      metadata: { labels: { 'example.com/paused': 'no' }, annotations: { 'dormouse.dev/paused': '' } },
    })
    expect(pauseChange(synced, 0)).to.deep.equal({ value: 'true', mark: '"no"' })
  })

  it('is left alone where others have paused, asleep or awake', () => {
    for (const others of [
      { paused: 'true' },
      { paused: 'yes' },
      { pausedReplicas: '0' },
      { pausedReplicas: '3' },
    ]) {
      expect(pausedByOthers(annotated(others))).to.be.a('string')
      for (const rest of [0, false] as const) expect(pauseChange(annotated(others), rest)).to.equal(undefined)
    }
    expect(pausedByOthers(annotated(PAUSED))).to.equal(undefined)
    expect(pausedByOthers(annotated({ paused: 'false' }))).to.equal(undefined)
    const suspended = aCompanion(BY_PATH, { spec: { run: { suspend: true } } })
    for (const rest of [0, false] as const) expect(pauseChange(suspended, rest)).to.equal(undefined)
  })

  it('leaves a value that others gave it, and takes its mark away once the workload is awake', () => {
    const changed = annotated({ pausedReplicas: '3', mark: '' })
    expect(pauseChange(changed, 0)).to.equal(undefined)
    expect(pauseChange(changed, false)).to.deep.equal({ mark: null })
  })

  it('of KEDA is at the count with which its workload sleeps, follows that, and is told from what others set', () => {
    const at = (rest: number, pausedReplicas?: string, mark?: string) =>
      pauseChange(
        annotated({ ...(pausedReplicas && { pausedReplicas }), ...(mark !== undefined && { mark }) }),
        rest,
      )
    const two = { value: '2', mark: '["2",null]' }
    expect(at(2)).to.deep.equal(two)
    expect(at(2, '0', '')).to.deep.equal(two)
    expect(at(2, two.value, two.mark)).to.equal(undefined)
    expect(at(0, two.value, two.mark)).to.deep.equal({ value: '0', mark: '' })
    expect(at(2, undefined, '4')).to.deep.equal({ value: '2', mark: '["2","4"]' })
    const paused = annotated({ pausedReplicas: two.value, mark: two.mark })
    expect(pausedByOthers(paused)).to.equal(undefined)
    expect(pauseChange(paused, false)).to.deep.equal({ value: null, mark: null })
    const others = annotated({ pausedReplicas: '3', mark: two.mark })
    expect(pausedByOthers(others)).to.be.a('string')
    expect([pauseChange(others, 2), pauseChange(others, false)]).to.deep.equal([undefined, { mark: null }])
  })

  it('is left alone where nobody can tell whether the workload sleeps', () => {
    expect(pauseChange(annotated(), undefined)).to.equal(undefined)
    expect(pauseChange(annotated(PAUSED), undefined)).to.equal(undefined)
  })

  it('ends on what is being deleted, which its operator would else keep, and does not begin there', () => {
    for (const rest of [0, false] as const) {
      const deleted = (annotations = {}) => pauseChange(aScaledObject({ annotations, deleting: true }), rest)
      expect(deleted(PAUSED)).to.deep.equal({ value: null, mark: null })
      expect(deleted()).to.equal(undefined)
    }
  })

  it('follows what the state says, also while the workload runs against it', () => {
    expect(restOf(asleep, RULES)).to.equal(0)
    expect(restOf(asleep.scaledByHand(1, 'keda'), RULES)).to.equal(0)
    const floored = asleep.annotated({ asleepReplicas: '1' })
    const { after } = stepped(floored, NIGHT)
    expect(restOf(after, RULES), 'down to 1').to.equal(1)
    expect(restOf({ ...after, replicas: 3 }, RULES), 'not paused yet').to.equal(1)
    expect(restOf({ ...after, replicas: 0 }, RULES), 'scaled down further').to.equal(0)
    expect(restOf(awake, RULES)).to.equal(false)
    expect(restOf(unscheduled, RULES)).to.equal(false)
    expect(restOf(asleep.with({ deleting: true }), RULES)).to.equal(undefined)
    expect(restOf(asleep.annotated({ state: '{' }), RULES)).to.equal(undefined)
  })

  it('follows the count of the sleeper: KEDA pauses at it, and an HPA has no higher minimum', () => {
    const atOne = written(annotated(), 1)!
    expect(valueOf(atOne)).to.equal('1')
    expect(pausedByOthers(atOne)).to.equal(undefined)
    expect(valueOf(written(atOne, 2)!)).to.equal('2')
    expect(valueOf(written(written(atOne, 0)!, false)!)).to.equal(undefined)
    const hpa = (minReplicas: number, metadata = {}) => aCompanion(HPAS, { metadata, spec: { minReplicas } })
    const lowered = written(hpa(4), 1)!
    expect(valueOf(lowered)).to.equal(1)
    expect(valueOf(written(lowered, 2)!)).to.equal(2)
    for (const rest of [0, false] as const) expect(valueOf(written(written(lowered, 2)!, rest)!)).to.equal(4)
    expect(pauseChange(hpa(4), 0), 'it rests by itself').to.equal(undefined)
    expect(pauseChange(hpa(2), 3), 'it would not wake it').to.equal(undefined)
    const ownerReferences = [
      { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', name: 'x', controller: true },
    ]
    expect(pauseChange(hpa(4, { ownerReferences }), 1), "its owner's").to.equal(undefined)
  })

  it('gives an HPA back no higher minimum than its maximum, which the API server would refuse', () => {
    const metadata = { annotations: { 'dormouse.dev/paused': '[1,4]' } }
    const paused = (maxReplicas: number) =>
      aCompanion(HPAS, { metadata, spec: { minReplicas: 1, maxReplicas } })
    expect(pauseChange(paused(3), false)).to.deep.equal({ value: 3, mark: null })
    expect(pauseChange(paused(5), false)).to.deep.equal({ value: 4, mark: null })
  })

  it('is settled by one write, and undone to what there was, whatever stood there', () => {
    fc.assert(
      fc.property(COMPANION, fc.constantFrom<number | false>(0, 1, false), (companion, first) => {
        const after = written(companion, first)!
        expect(pauseChange(after, first)).to.equal(undefined)
        if (first === false) expect(keptBy(after)).to.equal(undefined)
        const back = written(after, false)!
        expect(keptBy(back)).to.equal(undefined)
        if (keptBy(companion) === undefined) expect(valueOf(back)).to.equal(valueOf(companion))
      }),
    )
  })

  it('is written by a patch that fails if a place has changed that it depends on', () => {
    fc.assert(
      fc.property(
        COMPANION,
        fc.constantFrom<number | false>(0, 1, false),
        COMPANION,
        (companion, rest, other) => {
          const change = pauseChange(companion, rest)
          fc.pre(change !== undefined && companion.row === other.row)
          const patch = pausePatch(companion, change)
          expect(
            applied(
              { ...objectOf(companion), metadata: { ...objectOf(companion).metadata, uid: 'x' } },
              patch,
            ),
          ).to.equal(undefined)
          const isSame =
            valueOf(other) === valueOf(companion) &&
            valueAt(other.object, MARK) === valueAt(companion.object, MARK)
          if (!isSame) expect(applied(objectOf(other), patch)).to.equal(undefined)
        },
      ),
    )
  })
})

describe('the workload beside which an object stands', () => {
  it('of a ScaledObject has a scale subresource, and is in its own namespace', () => {
    const web = { kind: 'deployments', namespace: 'shop', name: 'web' }
    expect(targetOf(aScaledObject())).to.deep.equal(web)
    expect(targetOf(aScaledObject({ target: { kind: 'StatefulSet' } }))).to.deep.equal({
      ...web,
      kind: 'statefulsets',
    })
  })

  it('is none of ours where it is of another kind or group', () => {
    expect(targetOf(aScaledObject({ target: { kind: 'DaemonSet' } }))).to.equal(undefined)
    expect(
      targetOf(aScaledObject({ target: { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout' } })),
    ).to.equal(undefined)
    expect(targetOf(aScaledObject({ target: { apiVersion: 'other.io/v1' } }))).to.equal(undefined)
  })

  const textOf = (kind: Parameters<typeof linkTextOf>[0]['kind'], names: Parameters<typeof linkTextOf>[3]) =>
    linkTextOf({ kind, namespace: 'shop', name: 'web', owner: undefined }, aScaledObject().row, KEDA, names)

  it('is of a configured kind by the group and by what the cluster calls it, whatever the version', () => {
    const rollout = aScaledObject({ target: { apiVersion: 'argoproj.io/v1', kind: 'Rollout' } })
    const names = new Map([['rollouts.argoproj.io', 'Rollout'] as const])
    const key = { kind: 'rollouts.argoproj.io', namespace: 'shop', name: 'web' } as const
    expect(targetOf(rollout, names)).to.deep.equal(key)
    expect(textOf('rollouts.argoproj.io', names)).to.equal(linkText(rollout))
    expect(targetOf(aScaledObject({ target: { apiVersion: 'argoproj.io/v1' } }), names)).to.equal(undefined)
  })

  it('is unknown until the cluster has told what it calls a kind of that group', () => {
    const names = new Map([['rollouts.argoproj.io', undefined] as const])
    const rollout = aScaledObject({ target: { apiVersion: 'argoproj.io/v1', kind: 'Rollout' } })
    expect(targetOf(rollout, names)).to.equal('unknown')
    expect(targetOf(aScaledObject({ target: { apiVersion: 'other.io/v1' } }), names)).to.equal(undefined)
    expect(textOf('rollouts.argoproj.io', names)).to.equal(undefined)
    expect(textOf('daemonsets', names)).to.equal(undefined)
  })
})

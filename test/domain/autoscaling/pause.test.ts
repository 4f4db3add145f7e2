import { expect } from 'chai'
import fc from 'fast-check'
import { pauseChange, pausePatch, sleeps, type PauseChange } from '../../../src/domain/autoscaling/pause.ts'
import {
  isMarked,
  PAUSE_ANNOTATION,
  pausedByOthers,
  targetOf,
  targetText,
  targetTextOf,
  type PauseAnnotation,
  type ScaledObject,
} from '../../../src/domain/autoscaling/scaled-object.ts'
import { applied } from '../../support/json-patch.ts'
import { RULES } from '../../support/rules.ts'
import { aScaledObject, PAUSED } from '../../support/scaled-objects.ts'
import { asleep, awake, unscheduled } from '../fixtures.ts'

const annotated = (annotations: ScaledObject['annotations']) => aScaledObject({ annotations })

const MARK = fc.option(fc.constantFrom('', '0', '3', 'x'), { nil: undefined })
const VALUE = fc.option(fc.constantFrom('0', '3', ''), { nil: undefined })
const FLAG = fc.option(fc.constantFrom('true', 'false', 'yes'), { nil: undefined })
const SCALER: fc.Arbitrary<ScaledObject> = fc
  .record({ mark: MARK, pausedReplicas: VALUE, paused: FLAG, hasOthers: fc.boolean() })
  .map(({ hasOthers, ...annotations }) => {
    const present = Object.entries(annotations).filter(([, value]) => value !== undefined)
    return aScaledObject({
      annotations: Object.fromEntries(present),
      hasAnnotations: hasOthers || present.length > 0,
    })
  })

/** The ScaledObject with a change written. */
function withPause(object: ScaledObject, change: PauseChange): ScaledObject {
  const entries = Object.entries({ ...object.annotations, ...change }).filter(([, value]) => value !== null)
  return { ...object, annotations: Object.fromEntries(entries), hasAnnotations: true }
}

/** As the API server has it. */
function objectOf({ uid, annotations, hasAnnotations }: ScaledObject) {
  const entries = Object.entries(annotations).map(([name, value]) => [
    PAUSE_ANNOTATION[name as PauseAnnotation],
    value,
  ])
  return { metadata: { uid, ...(hasAnnotations ? { annotations: Object.fromEntries(entries) } : {}) } }
}

describe('the pause of a ScaledObject', () => {
  it('begins while its workload sleeps, and remembers that there was no value before', () => {
    expect(pauseChange(annotated({}), true)).to.deep.equal({ pausedReplicas: '0', mark: '' })
    expect(pauseChange(annotated(PAUSED), true)).to.equal(undefined)
  })

  it('ends once its workload sleeps no more, and leaves nothing behind', () => {
    expect(pauseChange(annotated(PAUSED), false)).to.deep.equal({ pausedReplicas: null, mark: null })
    expect(pauseChange(annotated({}), false)).to.equal(undefined)
  })

  it('gives back the value that there was before', () => {
    const change = pauseChange(annotated({ pausedReplicas: '0', mark: '4' }), false)
    expect(change).to.deep.equal({ pausedReplicas: '4', mark: null })
  })

  it('begins again where somebody has taken it away', () => {
    expect(pauseChange(annotated({ mark: '' }), true)).to.deep.equal(PAUSED)
    expect(pauseChange(annotated({ mark: '4' }), true)).to.deep.equal({ pausedReplicas: '0', mark: '4' })
  })

  it('is left alone where others have paused, asleep or awake', () => {
    for (const others of [
      { paused: 'true' },
      { paused: 'yes' },
      { pausedReplicas: '0' },
      { pausedReplicas: '3' },
    ]) {
      expect(pausedByOthers(annotated(others))).to.be.a('string')
      for (const state of [true, false]) expect(pauseChange(annotated(others), state)).to.equal(undefined)
    }
    expect(pausedByOthers(annotated(PAUSED))).to.equal(undefined)
    expect(pausedByOthers(annotated({ paused: 'false' }))).to.equal(undefined)
  })

  it('leaves a value that others gave it, and takes its mark away once the workload is awake', () => {
    const changed = annotated({ pausedReplicas: '3', mark: '' })
    expect(pauseChange(changed, true)).to.equal(undefined)
    expect(pauseChange(changed, false)).to.deep.equal({ mark: null })
  })

  it('is left alone where nobody can tell whether the workload sleeps, and on what is being deleted', () => {
    expect(pauseChange(annotated({}), undefined)).to.equal(undefined)
    expect(pauseChange(annotated(PAUSED), undefined)).to.equal(undefined)
    expect(pauseChange(aScaledObject({ annotations: PAUSED, deleting: true }), false)).to.equal(undefined)
  })

  it('follows what the state says, also while the workload runs against it', () => {
    expect(sleeps(asleep, RULES)).to.equal(true)
    expect(sleeps(asleep.scaledByHand(1, 'keda'), RULES)).to.equal(true)
    expect(sleeps(awake, RULES)).to.equal(false)
    expect(sleeps(unscheduled, RULES)).to.equal(false)
    expect(sleeps(asleep.with({ deleting: true }), RULES)).to.equal(undefined)
    expect(sleeps(asleep.annotated({ state: '{' }), RULES)).to.equal(undefined)
  })

  it('is settled by one write, and undone to what there was, whatever stood there', () => {
    fc.assert(
      fc.property(SCALER, fc.boolean(), (scaler, first) => {
        const change = pauseChange(scaler, first)
        const written = change ? withPause(scaler, change) : scaler
        expect(pauseChange(written, first)).to.equal(undefined)
        if (first && !isMarked(scaler)) {
          const back = pauseChange(written, false)
          const { annotations } = back ? withPause(written, back) : written
          expect(annotations).to.deep.equal(scaler.annotations)
        }
        const awake = first ? pauseChange(written, false) : undefined
        expect(isMarked(awake ? withPause(written, awake) : written)).to.equal(
          first && awake === undefined && isMarked(written),
        )
      }),
    )
  })

  it('is written by a patch that makes it so, and that fails if any of the three has changed', () => {
    fc.assert(
      fc.property(SCALER, fc.boolean(), SCALER, (scaler, state, other) => {
        const change = pauseChange(scaler, state)
        fc.pre(change !== undefined)
        const patch = pausePatch(scaler, change)
        expect(applied(objectOf(scaler), patch)).to.deep.equal(objectOf(withPause(scaler, change)))
        const isSame = JSON.stringify(objectOf(other)) === JSON.stringify(objectOf(scaler))
        if (!isSame && other.hasAnnotations && scaler.hasAnnotations)
          expect(applied(objectOf(other), patch)).to.equal(undefined)
      }),
    )
  })
})

describe('the target of a ScaledObject', () => {
  it('is a workload with a scale subresource, in its own namespace', () => {
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

  it('is of a configured kind by the group and by what the cluster calls it, whatever the version', () => {
    const rollout = aScaledObject({ target: { apiVersion: 'argoproj.io/v1', kind: 'Rollout' } })
    const names = new Map([['rollouts.argoproj.io', 'Rollout'] as const])
    const key = { kind: 'rollouts.argoproj.io', namespace: 'shop', name: 'web' } as const
    expect(targetOf(rollout, names)).to.deep.equal(key)
    expect(targetTextOf(key, names)).to.equal(targetText(rollout))
    expect(targetOf(aScaledObject({ target: { apiVersion: 'argoproj.io/v1' } }), names)).to.equal(undefined)
  })

  it('is unknown until the cluster has told what it calls a kind of that group', () => {
    const names = new Map([['rollouts.argoproj.io', undefined] as const])
    const rollout = aScaledObject({ target: { apiVersion: 'argoproj.io/v1', kind: 'Rollout' } })
    expect(targetOf(rollout, names)).to.equal('unknown')
    expect(targetOf(aScaledObject({ target: { apiVersion: 'other.io/v1' } }), names)).to.equal(undefined)
    expect(targetTextOf({ kind: 'rollouts.argoproj.io', namespace: 'shop', name: 'web' }, names)).to.equal(
      undefined,
    )
    expect(targetTextOf({ kind: 'daemonsets', namespace: 'shop', name: 'web' }, names)).to.equal(undefined)
  })
})

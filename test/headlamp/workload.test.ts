import { expect } from 'chai'
import { KINDS } from '../../src/domain/kinds.ts'
import { listedRecord } from '../../src/domain/records/record.ts'
import { kindOfObject, workloadOf } from '../../src/headlamp/workload.ts'
import { recordOf } from '../../src/headlamp/record.ts'
import { labelOf, nextOf, operationOf, whyOf } from '../../src/headlamp/words.ts'
import { localised } from '../../src/words/time.ts'
import { trim } from '../../src/kubernetes/trim.ts'
import { at, HOUR, RULES } from '../support/rules.ts'
import { objectOf } from '../support/workload-object.ts'
import { aDeployment, aReplicaSet, aStatefulSet, BY_KIND, type AWorkload } from '../support/workloads.ts'
import { objectIn } from './items.ts'

const NOW = at('Mon 20:00')
const HOURS = '8:00-18:00,Mon-Fri'

const recordIn = (workload: AWorkload) => recordOf(objectIn(workload), NOW)!
const wordsOf = (workload: AWorkload) => {
  const record = recordIn(workload)
  return [labelOf(record).text, nextOf(record, NOW), whyOf(record, NOW)]
}
/** A time of this text, wherever the test runs. */
const time = (instant: number) => localised(new Date(instant).toISOString(), NOW)

describe('a workload in Headlamp', () => {
  for (const kind of KINDS.filter((each) => each !== 'replicasets'))
    it(`is to the rules as the service reads it: ${kind}`, () => {
      const awake = BY_KIND[kind]()
        .withReplicas(kind === 'cronjobs' ? 1 : 3)
        .enabled()
        .scheduled(HOURS)
      const asleep = awake.snoozed({ at: at('Mon 18:00') })
      const woken = asleep.woken({ at: at('Mon 19:00'), by: 'k8s:ann', for: 4 * HOUR })
      for (const workload of [
        awake,
        asleep,
        woken,
        woken.pinned(),
        asleep.overridden(),
        asleep.inBackoff(at('Mon 21:00')),
      ]) {
        const object = objectIn(workload)
        expect(kindOfObject(object)).to.equal(kind)
        const read = listedRecord(workloadOf(kind, object), NOW, RULES)
        expect(read).to.deep.equal(listedRecord(trim(kind, objectOf(workload)), NOW, RULES))
      }
    })

  it('is so as well whose pods have not followed, that would lose volumes, is deleted, or has an owner', () => {
    const set = aStatefulSet().withReplicas(3).enabled().scheduled(HOURS)
    const owner = { apiVersion: 'v1', kind: 'Database', name: 'db' }
    const running = set.inProgress({ type: 'wake', at: at('Mon 19:59') })
    for (const workload of [
      running,
      set.with({ deletesVolumes: true }),
      set.with({ deleting: true }),
      set.with({ owner }),
    ]) {
      const read = listedRecord(workloadOf('statefulsets', objectIn(workload)), NOW, RULES)
      expect(read).to.deep.equal(listedRecord(trim('statefulsets', objectOf(workload)), NOW, RULES))
    }
  })

  it('is nothing to the plugin without anything of Dormouse on it, as a ReplicaSet, or of another kind', () => {
    expect(recordOf(objectIn(aDeployment()), NOW)).to.equal(undefined)
    expect(recordOf(objectIn(aReplicaSet().enabled()), NOW)).to.equal(undefined)
    const pod = { ...objectIn(aDeployment().enabled()), kind: 'Pod', apiVersion: 'v1' }
    expect(recordOf(pod, NOW)).to.equal(undefined)
    const foreign = { ...objectIn(aDeployment().enabled()), apiVersion: 'apps.example.org/v1' }
    expect(recordOf(foreign, NOW)).to.equal(undefined)
  })

  const zoned = aDeployment().withReplicas(3).enabled().scheduled(HOURS, 'Europe/Berlin')
  const asleep = zoned.snoozed({ at: at('Mon 17:00') })

  it('says its state and what comes next, by its own annotations and label', () => {
    const morning = time(at('Tue 7:00'))
    expect(wordsOf(asleep).slice(0, 2)).to.deep.equal(['asleep', `wakes ${morning}`])
    expect(wordsOf(asleep)[2]).to.equal(`asleep by schedule ${HOURS} (Europe/Berlin) until ${morning}`)
    const woken = asleep.woken({ at: at('Mon 19:00'), by: 'k8s:ann', for: 4 * HOUR })
    const end = time(at('Mon 23:00'))
    expect(wordsOf(woken)).to.deep.equal(['awake', `sleeps ${end}`, `awake by request of ann; sleeps ${end}`])
    expect(wordsOf(asleep.pinned()).slice(0, 2)).to.deep.equal([
      'pinned, asleep',
      'nothing, while it is pinned',
    ])
    expect(wordsOf(asleep.overridden()).slice(0, 2)).to.deep.equal([
      'schedule off, asleep',
      'nothing by itself',
    ])
    expect(wordsOf(zoned.annotated({ enabled: 'false' }))).to.deep.equal([
      'not managed',
      '',
      'Dormouse leaves it alone',
    ])
    expect(wordsOf(zoned.annotated({ state: '{' }))[0]).to.equal('needs repair')
    expect(wordsOf(asleep.inBackoff(at('Mon 21:00')))[0]).to.equal('waiting, asleep')
  })

  it('whose pods did not come in time is late, with what keeps them or the command that asks them', () => {
    const woken = aDeployment().withReplicas(3).enabled().scheduled(HOURS)
    const late = woken.inProgress({ type: 'wake', at: NOW - HOUR })
    const [object, pinned] = [late, late.pinned()].map(objectIn)
    const failure = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'over quota' }
    const withFailure = { ...object!, status: { ...object!.status, conditions: [failure] } }
    const record = recordOf(withFailure, NOW)!
    expect(labelOf(record)).to.deep.equal({ text: 'late', status: 'error' })
    expect(whyOf(record, NOW)).to.match(/^pods are missing: over quota \(FailedCreate\); \w/)
    expect(whyOf(record, NOW)).to.not.include('kubectl')
    const command = 'kubectl dormouse why deployment/web -n shop says what its pods say'
    expect(whyOf(recordOf(object!, NOW)!, NOW), 'nothing says why').to.include(`; ${command}`)
    expect(labelOf(recordOf(pinned!, NOW)!)).to.deep.equal({ text: 'late, pinned', status: 'error' })
  })

  it('does not guess hours, a zone or a calendar that stand elsewhere', () => {
    const rest =
      /^not all of its hours are on this object: its Namespace, a policy or the settings of Dormouse/
    const inherited = aDeployment()
      .withReplicas(3)
      .snoozed({ at: at('Mon 18:00') })
    for (const workload of [
      inherited,
      inherited.enabled(),
      asleep.annotated({ timezone: undefined }),
      asleep.annotated({ calendar: 'de' }),
    ]) {
      const [state, next, why] = wordsOf(workload)
      expect([state, next]).to.deep.equal(['asleep', 'not known here'])
      expect(why).to.match(rest)
    }
    const woken = inherited.woken({ at: at('Mon 19:00'), by: 'oidc:ann', for: 4 * HOUR })
    const [state, next, why] = wordsOf(woken)
    expect([state, next]).to.deep.equal(['awake', `its hours decide ${time(at('Mon 23:00'))}`])
    expect(why).to.match(/^awake by request of ann; /)
  })

  it('is read once a minute, however often a table asks', () => {
    const object = objectIn(asleep)
    const record = recordOf(object, NOW)
    expect(recordOf(object, NOW + 59_000)).to.equal(record)
    expect(recordOf(object, NOW + 60_000)).not.to.equal(record)
  })

  it('names the fault of a schedule that cannot be read', () => {
    expect(wordsOf(zoned.scheduled('8-', 'Europe/Berlin'))[2]).to.include("found '8-'")
  })

  it('tells its history in words, and a later release’s words as they are', () => {
    const [woke, slept] = recordIn(asleep.woken({ at: at('Mon 19:00'), by: 'k8s:ann' })).operation_history
    expect(operationOf(woke!, 'pods', NOW)).to.deep.equal({
      What: 'Woken to 3',
      Who: 'ann',
      Cause: 'on request',
      When: time(at('Mon 19:00')),
      Result: 'succeeded',
    })
    expect(operationOf(slept!, 'pods', NOW)).to.include({
      What: 'Put to sleep',
      Who: 'Dormouse',
      Cause: 'by its schedule',
    })
    expect(operationOf({ ...slept!, trigger: 'tide', result: 'timed_out' }, 'pods', NOW)).to.include({
      Cause: 'tide',
      Result: 'pods came too late',
    })
  })
})

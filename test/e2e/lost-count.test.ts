import { expect } from 'chai'
import { KINDS } from '../../src/domain/workload/workload.ts'
import { hasCount, hasKey } from '../../src/domain/kinds.ts'
import { describeOn } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { annotated, countOf, manifest } from '../support/manifests.ts'
import { asleepNow, awakeNow } from '../support/schedules.ts'
import { served } from '../support/served.ts'
import { marksOf } from './agreement.ts'

const COUNT = 5
/** As an admission webhook leaves it that drops our marks from our own write, whose answer was lost. */
const OURS = '?fieldManager=dormouse'

describeOn('a workload that our own write left at 0 without its marks', function (on) {
  this.timeout(120_000)
  const here = served(on, { newWorkloadGrace: '0s' })

  for (const kind of KINDS.filter((each) => !hasKey(each))) {
    const nothing = hasCount(kind) ? { replicas: 0 } : { suspend: true }

    it(`gets its count back by the leader that remembers it, here ${kind}`, async () => {
      await here.enabled(kind, 'known', { replicas: COUNT, schedule: awakeNow() })
      await here.settled(kind, 'known')
      const annotations = { 'dormouse.dev/state': null }
      await on().admin.expect('PATCH', `${here.path(kind, 'known')}${OURS}`, {
        metadata: { annotations },
        spec: nothing,
      })
      await eventually('its count', async () => {
        const { replicas } = marksOf(await here.get(kind, 'known'))
        return replicas === countOf(kind, COUNT)
      })
    })

    it(`is not put to sleep with 0 where nobody does: an Event says so, here of ${kind}`, async () => {
      const options = { replicas: 0, annotations: annotated(asleepNow()) }
      await on().admin.expect('POST', `${here.path(kind)}${OURS}`, manifest(kind, 'unknown', options))
      const message = await eventually('an Event', async () => {
        const events = await here.events('unknown')
        const isOfKind = (name: string) => `${name.toLowerCase()}s` === kind
        return events.find(
          ({ reason, involvedObject }) => reason === 'InvalidState' && isOfKind(involvedObject.kind),
        )?.message
      })
      expect(message).to.include('so is the count that it kept')
      const { label, state } = marksOf(await here.get(kind, 'unknown'))
      expect([label, state]).to.deep.equal([undefined, undefined])
      await here.workload(kind, 'unknown').enable()
      expect(marksOf(await here.get(kind, 'unknown')).label, 'once it is repaired').to.equal('1')
    })
  }
})

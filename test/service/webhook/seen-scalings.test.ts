import { expect } from 'chai'
import { keyOf } from '../../../src/domain/workload/workload.ts'
import { SeenScalings } from '../../../src/service/webhook/seen-scalings.ts'
import { at } from '../../support/rules.ts'
import { scaling } from '../../support/reviews.ts'
import { aDeployment } from '../../support/workloads.ts'
import { Reviewing } from './reviewing.ts'

const asleep = aDeployment('shop/web')
  .withReplicas(5)
  .enabled()
  .snoozed({ at: at('Mon 7:00') })
  .with({ resourceVersion: '10' })
const MINUTE = 60_000

describe('the user who woke a sleeper by scaling it', () => {
  let here: Reviewing

  beforeEach(async () => {
    here = new Reviewing()
    here.copies.set(keyOf(asleep), asleep)
    await here.start()
  })

  afterEach(() => here.stop())

  const review = (changes: object = {}, to = 1) => here.review('/webhook/scale', scaling(asleep, to, changes))
  const by = (username: string) => ({ userInfo: { username } })
  const scaledBy = (to = 1, manager = 'kubectl') => here.scalings.scaledBy(asleep.scaledByHand(to, manager))

  it('is the user of the review with that workload and count, and is logged', async () => {
    await review(by('alice'))
    expect(scaledBy()).to.equal('review:alice')
    expect(scaledBy(2)).to.equal(undefined)
    expect(here.scalings.scaledBy(asleep.scaledByHand(1).with({ uid: 'another' }))).to.equal(undefined)
    expect(scaledBy(1, 'another client')).to.equal(undefined)
    expect(here.logged.join()).to.contain('"by":"review:alice"')
  })

  it('is not known after a dry run, a denial, or a review that does not name the uid', async () => {
    await review({ ...by('alice'), dryRun: true })
    await review({ ...by('alice'), oldObject: { metadata: { uid: 'another', resourceVersion: '10' } } })
    here.copies.set(keyOf(asleep), asleep.pinned().with({ resourceVersion: '10' }))
    await review(by('alice'))
    expect(scaledBy()).to.equal(undefined)
  })

  it('is not known when two users asked for the same count: one of them may be made up', async () => {
    await review(by('mallory'))
    await review(by('alice'))
    expect(scaledBy()).to.equal(undefined)
    here.now += 3 * MINUTE
    await review(by('alice'))
    expect(scaledBy()).to.equal('review:alice')
  })

  it('is forgotten after two minutes, and among a thousand others', () => {
    let now = 0
    const seen = new SeenScalings(() => now)
    const add = (uid: string) => seen.add({ uid, replicas: 1, by: 'review:alice', manager: undefined })
    add(asleep.uid)
    now = 2 * MINUTE + 1
    expect(seen.scaledBy(asleep.scaledByHand(1))).to.equal(undefined)
    add(asleep.uid)
    expect(seen.scaledBy(asleep.scaledByHand(1))).to.equal('review:alice')
    for (let other = 0; other < 1000; other += 1) add(`other ${other}`)
    expect(seen.scaledBy(asleep.scaledByHand(1))).to.equal(undefined)
  })
})

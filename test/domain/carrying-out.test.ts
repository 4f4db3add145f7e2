import { expect } from 'chai'
import { asked, followed, stepped } from '../support/decisions.ts'
import { at, MINUTE } from '../support/rules.ts'
import { aDeployment } from '../support/workloads.ts'

const WORK = '8:00-18:00,Mon-Fri'
const NOON = at('Mon 12:00')
const NIGHT = at('Mon 20:00')
const awake = aDeployment()
  .withReplicas(3)
  .enabled()
  .scheduled(WORK)
  .woken({ at: at('Mon 8:00'), trigger: 'schedule' })
const asleep = awake.snoozed({ at: at('Mon 18:00') })

describe('a workload that is being deleted is left alone', () => {
  it('with an operation that has ended', () => {
    const waking = asked(asleep, { action: 'wake' }, NIGHT).after
    const ready = { ...followed(waking), ownReplicasEntry: 2 }
    expect(stepped(ready, NIGHT + MINUTE).change).to.include({ givesUpReplicas: true })
    expect(stepped({ ...ready, deleting: true }, NIGHT + MINUTE).change).to.equal(undefined)
  })

  it('with a backoff from beyond any', () => {
    const held = awake.inBackoff(at('next Sun 0:00')).with({ deleting: true })
    expect(stepped(held, NOON).change).to.equal(undefined)
  })
})

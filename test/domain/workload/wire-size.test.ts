import { expect } from 'chai'
import { jsonPatch } from '../../../src/domain/workload/patch.ts'
import type { Operation } from '../../../src/domain/workload/state.ts'
import type { Workload } from '../../../src/domain/workload/workload.ts'
import { stepped } from '../../support/decisions.ts'
import { at, HOUR } from '../../support/rules.ts'
import { keyringOf, rulesBy, signed } from '../../support/signed.ts'
import { aDeployment } from '../../support/workloads.ts'
import { WORK } from '../fixtures.ts'

/** Two weeks of a schedule, newest first; nothing happens to the millisecond. */
const OPERATIONS = Array.from({ length: 20 }, (_, index): Operation => {
  const type = index % 2 === 0 ? 'wake' : 'snooze'
  return {
    type,
    trigger: 'schedule',
    at: at('Mon 8:00') - index * 12 * HOUR - ((index * 377) % 1000) + 312,
    replicas: type === 'wake' ? 3 : 0,
    duration: 20_000 + index * 2001,
    by: null,
    result: 'succeeded',
  }
})
const [newest, former] = OPERATIONS
/** It has run since Monday morning, as every day for two weeks. */
const unsigned = aDeployment('web-frontend/web')
  .with({ uid: 'c0ffee00-1234-4321-aaaa-0123456789ab' })
  .withReplicas(3)
  .enabled()
  .scheduled(WORK)
  .labelled({ app: 'web' })
  .remembering({
    counter: 4711,
    snoozed: { at: former!.at, replicas: 3, trigger: 'schedule', by: null },
    woken: { at: newest!.at },
    intent: { want: 'awake', at: at('Mon 8:00'), before: 'asleep', by: null, trigger: 'schedule' },
    history: OPERATIONS,
  })
const awake = signed(unsigned)
const RULES = rulesBy(keyringOf())
/** Bytes of the tag of a history. */
const TAG = 27

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
const bytesOf = ({ annotations }: Workload) => [annotations.state, annotations.history].map(bytesOfText)
const bytesOfText = (text = '') => Buffer.byteLength(text)

// The API server's cost of a write grows with these bytes, whatever their form.
describe("a schedule's snooze with 20 operations in its history", () => {
  const step = () => stepped(awake, at('Mon 18:00') + 234, RULES)

  it('has at most 300 bytes of state, its tag included, and 400 of history beside its tag', () => {
    const { after, state } = step()
    expect(state.history).to.have.length(20)
    const [ofState, ofHistory] = bytesOf(after)
    expect(ofState).to.be.at.most(300)
    expect(ofHistory).to.be.within(300, 400 + TAG)
  })

  it('sends at most 2.1 KB, of which it writes at most 1 KB: all else is what it tests', () => {
    const patch = jsonPatch(awake, step().change!)
    const advice = 'bytes (each annotation that `isReadFor` of patch.ts does not exclude adds a test)'
    expect(bytes(patch), advice).to.be.at.most(2100)
    expect(bytes(patch.filter(({ op }) => op !== 'test'))).to.be.at.most(1000)
  })

  it('does not test the history', () => {
    const tested = jsonPatch(awake, step().change!).filter(({ op }) => op === 'test')
    expect(tested.map(({ path }) => path)).to.not.include('/metadata/annotations/dormouse.dev~1history')
  })
})

import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import fc from 'fast-check'
import { decodeHistory, encodeHistory } from '../../../src/domain/workload/history-codec.ts'
import type { Operation } from '../../../src/domain/workload/state.ts'
import { asked } from '../../support/decisions.ts'
import { propertyRuns } from '../../support/property-runs.ts'
import { at, HOUR, SECOND } from '../../support/rules.ts'
import { aDeployment } from '../../support/workloads.ts'
import { NOON, WORK } from '../fixtures.ts'

const WAKE: Operation = {
  type: 'wake',
  trigger: 'schedule',
  at: at('Mon 8:00') + 12,
  replicas: 3,
  duration: 45_678,
  by: null,
  result: 'succeeded',
}
const SNOOZE: Operation = { ...WAKE, type: 'snooze', replicas: 0, duration: 31_000 }
/** A wake of a later release, by a word that this one cannot read. */
const LATER = '2026-03-02T12:00:00Z 600000r3%7 14400000@1w3/tide!abandoned+500 5@2q ["k8s:alice","k8s:bob"]'

describe('the annotation of the history', () => {
  it('is the newest time, a word for each operation with the time before the one to its left, and the names', () => {
    const history: Operation[] = [
      {
        ...WAKE,
        at: at('Tue 8:00') + 12,
        by: 'k8s:alice',
        duration: null,
        trigger: 'api',
        result: 'running',
        generation: 7,
      },
      { ...SNOOZE, at: at('Mon 18:00') + 3 },
      { ...SNOOZE, at: at('Mon 17:00') + 3, by: 'oidc:Bob "B" [x]', trigger: 'manual', result: 'timed_out' },
      { ...WAKE, at: at('Mon 17:30'), by: 'k8s:alice', result: 'running', duration: 5 },
    ]
    const text =
      '2026-03-03T08:00:00.012Z @1w3/api#7 50400009s+31000 3600000@2s/manual!timed_out+31000 ' +
      '-1799997@1w3!running+5 ["k8s:alice","oidc:Bob \\"B\\" [x]"]'
    expect(encodeHistory({ history })).to.equal(text)
    expect(decodeHistory(text)).to.deep.equal({ history })
  })

  it('reads as docs/concepts.md explains its example', () => {
    const [, text] =
      /^```text\n(.* \["k8s:alice"\]) ~\S+$/m.exec(readFileSync('docs/concepts.md', 'utf8')) ?? []
    expect(decodeHistory(text ?? '').history).to.deep.equal([
      { ...SNOOZE, at: at('Mon 18:00'), trigger: 'api', by: 'k8s:alice', duration: 1200 },
      { ...WAKE, at: at('Mon 8:00') },
    ])
  })

  it('has at most 400 bytes for 20 operations of a schedule', () => {
    const history = Array.from({ length: 20 }, (_, index): Operation => {
      const day = Math.floor(index / 2)
      const jitter = (index * 377) % 1000
      // Each fifth night is a weekend's.
      const started = at('Fri 18:00') - 24 * HOUR * (day + 2 * Math.floor(day / 5)) + jitter
      const duration = 20 * SECOND + index * 3001
      return index % 2 === 0
        ? { ...SNOOZE, at: started, duration }
        : { ...WAKE, at: started - 10 * HOUR, duration, replicas: 12 }
    })
    const text = encodeHistory({ history }) ?? ''
    expect(Buffer.byteLength(text)).to.be.within(300, 400)
    expect(decodeHistory(text)).to.deep.equal({ history })
  })

  it('of a later release is shown as far as it can be read, and written back', () => {
    const { history, unreadHistory } = decodeHistory(LATER)
    expect(history).to.deep.equal([
      {
        ...WAKE,
        at: NOON - 600_000 - 4 * HOUR,
        trigger: 'tide',
        by: 'k8s:alice',
        result: 'abandoned',
        duration: 500,
      },
    ])
    expect(unreadHistory?.map(({ word }) => word)).to.deep.equal(['r3%7', 'q'])
    const woken = aDeployment().withReplicas(3).enabled().scheduled(WORK).woken({ at: NOON })
    const { after } = asked(woken.annotated({ history: LATER }), { action: 'snooze' }, NOON + 5000)
    expect(after.annotations.history).to.equal(
      '2026-03-02T12:00:05Z @1s/api#3 605000r3%7 14400000@2w3/tide!abandoned+500 5@3q ' +
        '["k8s:carol","k8s:alice","k8s:bob"]',
    )
  })

  it('keeps its place where names and times of others come before it', () => {
    const word = fc.constantFrom('w3', 's', 'x', '@1x', '@2s+7', 'w3/tide!y', 'q/1')
    const words = fc.array(fc.tuple(fc.nat(3), word), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(words, (given) => {
        const list = given.map(([since, each]) => `${since || ''}${each}`).join(' ')
        const read = decodeHistory(`2026-03-02T12:00:00Z ${list} ["k8s:alice","k8s:bob"]`)
        const again = decodeHistory(encodeHistory(read) ?? '')
        expect(again).to.deep.equal(read)
      }),
      propertyRuns(300),
    )
  })

  const faults: Readonly<Record<string, string>> = {
    'is empty': '',
    'has no operation': '2026-03-02T12:00:00Z',
    'has no time': 's 5w3',
    'has a local time': '2026-03-02T12:00:00 s',
    'has a word without a letter': '2026-03-02T12:00:00Z s 5',
    'has two spaces': '2026-03-02T12:00:00Z s  5w3',
    'goes back before all time': '2026-03-02T12:00:00Z s 999999999999999w3',
    'goes beyond all time': '2026-03-02T12:00:00Z s -999999999999999w3',
    'names nobody': '2026-03-02T12:00:00Z @1s',
    'names one of two': '2026-03-02T12:00:00Z @2s ["k8s:alice"]',
    'has half a list of names': '2026-03-02T12:00:00Z @1s ["k8s:al',
    'has a name of 129 characters': `2026-03-02T12:00:00Z @1s ["${'x'.repeat(129)}"]`,
    'is longer than 8 KiB': `2026-03-02T12:00:00Z s${' 5w3'.repeat(3000)}`,
  }
  for (const [what, text] of Object.entries(faults))
    it(`that ${what} costs the history alone`, () => {
      const sleeper = aDeployment().withReplicas(3).enabled().snoozed({ at: NOON })
      const faulty = sleeper.annotated({ history: text })
      expect(faulty.state()).to.deep.equal({ ...sleeper.state(), history: [] })
    })
})

import { expect } from 'chai'
import { readOrRefuse } from '../../../src/domain/requests/refusals.ts'
import {
  decodeState,
  encodeState,
  STATE_LIMIT,
  type Unreadable,
} from '../../../src/domain/workload/state-codec.ts'
import type { Operation, StoredState } from '../../../src/domain/workload/state.ts'
import { Refusal } from '../../../src/process/errors.ts'
import { decoded } from '../../support/readable.ts'
import { at, MINUTE, RULES } from '../../support/rules.ts'
import { aDeployment } from '../../support/workloads.ts'

const operation: Operation = {
  type: 'wake',
  trigger: 'api',
  at: at('Mon 19:00'),
  replicas: 3,
  duration: null,
  by: 'k8s:alice',
  result: 'running',
}

const FULL: StoredState = {
  kind: 'deployments',
  counter: 42,
  asleep: false,
  snoozed: { at: at('Mon 18:00'), replicas: 3, trigger: 'schedule', by: null },
  woken: { at: at('Mon 19:00'), kept: 5, set: 3 },
  intent: {
    want: 'awake',
    at: at('Mon 19:00'),
    until: at('Mon 21:00'),
    hold: at('Tue 7:00'),
    before: 'asleep',
    by: 'k8s:alice',
    trigger: 'api',
  },
  pin: { state: 'active', replicas: 3, at: at('Mon 19:01'), by: 'k8s:alice' },
  override: { until: null, at: at('Mon 19:02'), by: 'k8s:bob' },
  backoff: { until: at('Mon 20:00'), times: 2, cause: 'flapping' },
  request: { text: 'wake 2h', at: at('Mon 19:00'), by: 'k8s:alice', pending: true },
  history: [operation, { ...operation, type: 'snooze', duration: 1200, result: 'superseded' }],
}

/** The full document with another value at one place, as text; the place is the reason why it is unreadable. */
function tampered(...changes: [what: string, place: string, value: unknown][]): [string, string, string][] {
  return changes.map(([what, place, value]) => {
    const document = JSON.parse(TEXT) as Record<string, unknown>
    const [name = '', inside] = place.slice(1).split('/')
    document[name] = inside === undefined ? value : { ...(document[name] as object), [inside]: value }
    return [what, JSON.stringify(document), place]
  })
}

const TEXT = encodeState(FULL).state

describe('the annotations of the state', () => {
  it('are read back as they were written', () => {
    expect(decoded(encodeState(FULL))).to.deep.equal(FULL)
    const smallest: StoredState = { kind: 'deployments', counter: 1, asleep: false, history: [] }
    expect(encodeState(smallest)).to.deep.equal({ state: '{"v":2,"kind":"deployments","counter":1}' })
    expect(decoded(encodeState(smallest))).to.deep.equal(smallest)
  })

  it('are a compact JSON document of version 2 with times in ISO 8601 UTC and without what goes without saying', () => {
    const document = JSON.parse(TEXT) as Record<string, object>
    expect(document).to.include({ v: 2, counter: 42 })
    expect(document['woken']).to.deep.equal({ at: '2026-03-02T19:00:00Z', kept: 5, set: 3 })
    expect(document['override']).to.deep.equal({ at: '2026-03-02T19:02:00Z', by: 'k8s:bob' })
    expect(document['snoozed']).to.deep.equal({ at: '2026-03-02T18:00:00Z', replicas: 3 })
    expect(document).to.not.have.any.keys('asleep', 'history')
    expect(TEXT).to.equal(JSON.stringify(document))
  })

  it('keep the newest 20 of the history', () => {
    const history = Array.from({ length: 25 }, (_, index) => ({
      ...operation,
      at: at('Mon 19:00') - index * MINUTE,
    }))
    expect(decoded(encodeState({ ...FULL, history })).history).to.deep.equal(history.slice(0, 20))
  })

  it('stay within 8 KiB together by leaving out the oldest history', () => {
    const history = Array.from({ length: 20 }, (_, index) => ({
      ...operation,
      by: '\u{1F42D}'.repeat(60) + index,
      at: at('Mon 19:00') - index * MINUTE,
    }))
    const long = { ...FULL, pin: { ...FULL.pin!, by: '"'.repeat(128) }, later: 'x'.repeat(4000) }
    const texts = encodeState({ ...long, history })
    expect(Buffer.byteLength(texts.state + texts.history)).to.be.within(STATE_LIMIT - 300, STATE_LIMIT)
    const kept = decoded(texts).history
    expect(kept).to.have.length.within(5, 19)
    expect(kept).to.deep.equal(history.slice(0, kept.length))
  })

  it('take the longest names, 128 characters, even if all are escaped', () => {
    const by = '"'.repeat(128)
    const state = { ...FULL, pin: { ...FULL.pin!, by }, override: { ...FULL.override!, by } }
    expect(decoded(encodeState(state))).to.deep.equal(state)
  })

  const pollution = `${TEXT.slice(0, -1)},"__proto__":{"asleep":true}}`
  const unreadable: [string, string, string | RegExp][] = [
    ['nothing', '', 'not JSON'],
    ['half a document', TEXT.slice(0, 100), 'not JSON'],
    ['null', 'null', 'version null'],
    ['an array', '[]', 'version null'],
    ['a number', '1', 'version null'],
    ['no version', '{"counter":1,"asleep":false,"history":[]}', 'version null'],
    ['version 1', '{"v":1,"kind":"deployments","counter":1}', 'version 1'],
    ['version 3', '{"v":3,"counter":1}', 'version 3'],
    ['version "1"', '{"v":"1","counter":1,"asleep":false,"history":[]}', 'version "1"'],
    ['a version of 5,000 characters', `{"v":"${'x'.repeat(5000)}"}`, /^.{1,200}$/],
    ['9 KiB', `${' '.repeat(9000)}${TEXT}`, 'longer than 8192 bytes'],
    ['8,000 brackets', '['.repeat(8000), 'not JSON'],
    ['4,000 nested arrays', `${'['.repeat(4000)}${']'.repeat(4000)}`, /version null|not JSON/],
    ...tampered(
      ['a trigger that is no single word', '/intent/trigger', 'by hand'],
      ['a counter of 0', '/counter', 0],
      ['a counter that cannot grow', '/counter', 1e300],
      ['a count below 0', '/pin/replicas', -1],
      ['a count of 1e300', '/snoozed/replicas', 1e300],
      ['half a replica', '/pin/replicas', 1.5],
      ['a count as text', '/pin/replicas', '3'],
      ['asleep as text', '/asleep', 'yes'],
      ['an author of 129 characters', '/pin/by', 'x'.repeat(129)],
      ['an unknown intent', '/intent/want', 'dozing'],
      ['"yesterday"', '/intent/at', 'yesterday'],
      ['the 45th of March', '/intent/at', '2026-03-45T00:00:00Z'],
      ['a local time', '/intent/at', '2026-03-02T10:00:00'],
      ['a time as a number', '/intent/at', 1e300],
      ['a time as an object', '/intent/at', {}],
      ['no time', '/intent/at', null],
    ),
  ]
  for (const [what, text, reason] of unreadable) {
    it(`with ${what} is unreadable: 422 INVALID_STATE with the reason, and how to repair it`, () => {
      const { fault, message } = decodeState(text) as Unreadable
      expect(fault).to.match(typeof reason === 'string' ? new RegExp(escape(reason)) : reason)
      expect(message).to.equal(`dormouse.dev/state cannot be read: ${fault}`)
      expect(() => readOrRefuse(aDeployment().annotated({ state: text }), RULES))
        .to.throw(Refusal, message)
        .that.deep.includes({
          code: 'INVALID_STATE',
          details: {
            reason: message,
            reason_code: 'invalid_state',
            reason_values: { fault },
            remedy: { action: 'enable', query: {} },
          },
        })
    })
  }

  it('pollutes no prototype', () => {
    expect(decoded({ state: pollution })).to.include({ asleep: false })
    expect(({} as { asleep?: boolean }).asleep).to.equal(undefined)
  })
})

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
}

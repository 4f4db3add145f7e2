import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  formatRequest,
  InvalidRequest,
  parseRequest,
  VERBS,
  type WrittenRequest,
} from '../../../src/domain/requests/annotation.ts'
import type { Request } from '../../../src/domain/requests/operations.ts'

const HOUR = 3_600_000
const MINUTE = 60_000
const AT = Date.parse('2026-03-02T17:00:00Z')

const READ: [string, WrittenRequest][] = [
  ['wake', { request: { action: 'wake' } }],
  ['wake 4h', { request: { action: 'wake', for: 4 * HOUR } }],
  [' wake\t90m \n', { request: { action: 'wake', for: 90 * MINUTE } }],
  ['snooze 8760h', { request: { action: 'snooze', for: 8760 * HOUR } }],
  ['shorten-wake 1h', { request: { action: 'wake', for: 3_600_000, shorten: true } }],
  ['force-snooze', { request: { action: 'snooze', force: true } }],
  ['override 2h @2026-03-02T18:00:00+01:00', { request: { action: 'override', duration: 2 * HOUR }, at: AT }],
  ['pin @2026-03-02T17:00:00Z', { request: { action: 'pin' }, at: AT }],
  ['unpin @2026-03-02t17:00:00.250z', { request: { action: 'unpin' }, at: AT + 250 }],
  ['resume', { request: { action: 'clearOverride' } }],
  ['adopt 3', { request: { action: 'adopt', count: 3 } }],
  ['adopt 0 @2026-03-02T17:00:00Z', { request: { action: 'adopt', count: 0 }, at: AT }],
]

const REFUSED: [string, RegExp][] = [
  ['', /^expected one of wake, shorten-wake, snooze, .* found nothing$/],
  ['  ', /found nothing$/],
  ['wkae 4h', /found 'wkae': did you mean wake\?$/],
  ['Wake', /did you mean wake\?$/],
  ['constructor', /^expected one of wake/],
  ['destroy', /found 'destroy'$/],
  ['wake 4', /^expected a duration such as 90s, 1h30m or 2d, from 1m to 365d after wake, found '4': did you/],
  ['wake 0h', /^expected a duration/],
  ['wake 8761h', /^expected a duration/],
  ['wake 30s', /^expected a duration/],
  ['wake 4 hours', /^expected a duration such as 90s, 1h30m or 2d, .* found '4': did you mean 4m or 4h\?$/],
  ['wake 30 min', /found '30': did you mean 30m or 30h\?$/],
  ['snooze 4', /found '4': did you mean 4m or 4h\?$/],
  ['wake for 4h', /^expected a duration such as 90s, 1h30m or 2d, .* found 'for'$/],
  ['wake 4h please', /^nothing can follow 'wake 4h' but a time with an offset after @/],
  ['wake @2026-03-02T17:00:00Z 4h', /^expected a duration .* found '@2026-03-02T17:00:00Z'$/],
  ['wake @2026-03-02T17:00:00', /^expected a time with an offset after @, such as @\S+, found '@2026/],
  ['wake @2026-02-30T17:00:00Z', /^expected a time/],
  ['wake @2026-03-02T25:00:00Z', /^expected a time/],
  ['wake @', /^expected a time with an offset after @, such as @\S+, found '@'$/],
  ['pin 4h', /^write 'pin' alone, without '4h'$/],
  ['resume 1h', /^write 'resume' alone/],
  ['adopt', /^expected the replicas to wake to after adopt, such as 'adopt 3', found nothing$/],
  ['adopt -1', /found '-1'$/],
  ['adopt 2147483648', /^expected the replicas/],
  ['adopt 4h', /^expected the replicas/],
  ['x'.repeat(100_000), /found a text of 100000 characters$/],
]

describe('a request in an annotation', () => {
  for (const [text, request] of READ)
    it(`is read: ${JSON.stringify(text)}`, () => assert.deepEqual(parseRequest(text), request))

  for (const [text, message] of REFUSED)
    it(`is refused with what to type: ${JSON.stringify(text.slice(0, 40))}`, () =>
      assert.throws(() => parseRequest(text), { name: 'InvalidRequest', message }))

  it('is read as it was written', () => {
    fc.assert(
      fc.property(aRequest(), (request) => assert.deepEqual(parseRequest(formatRequest(request)), request)),
    )
  })

  it('is refused with at most 200 characters, whatever the text', () => {
    const words = fc.array(
      fc.oneof(fc.constantFrom(...VERBS, '4h', '@', '@2026-03-02T17:00:00Z'), fc.string({ unit: 'binary' })),
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          words.map((list) => list.join(' ')),
        ),
        (text) => {
          try {
            parseRequest(text)
          } catch (error) {
            assert.ok(error instanceof InvalidRequest)
            assert.ok(error.message.length <= 200, error.message)
          }
        },
      ),
    )
  })
})

function aRequest(): fc.Arbitrary<WrittenRequest> {
  const at = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2100, 0) })
  const limit = fc.integer({ min: 1, max: 8760 * 60 }).map((minutes) => minutes * MINUTE)
  const count = fc.integer({ min: 0, max: 2 ** 31 - 1 })
  const saying = (action: Request['action'], said: Record<string, fc.Arbitrary<unknown>>) =>
    fc.record(said, { requiredKeys: [] }).map((values) => ({ action, ...values }) as Request)
  const request = fc.oneof(
    saying('wake', { for: limit }),
    saying('snooze', { for: limit, force: fc.constant(true) }),
    saying('override', { duration: limit }),
    fc.constantFrom<Request>({ action: 'pin' }, { action: 'unpin' }, { action: 'clearOverride' }),
    count.map((each): Request => ({ action: 'adopt', count: each })),
  )
  return fc.record({ request, at }, { requiredKeys: ['request'], noNullPrototype: true })
}

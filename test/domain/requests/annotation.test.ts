import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  formatRequest,
  InvalidRequest,
  parseRequest,
  VERBS,
  type WrittenRequest,
} from '../../../src/domain/requests/annotation.ts'

const HOUR = 3_600_000
const MINUTE = 60_000
const AT = Date.parse('2026-03-02T17:00:00Z')

const READ: [string, WrittenRequest][] = [
  ['wake', { verb: 'wake' }],
  ['wake 4h', { verb: 'wake', duration: 4 * HOUR }],
  [' wake\t90m \n', { verb: 'wake', duration: 90 * MINUTE }],
  ['snooze 8760h', { verb: 'snooze', duration: 8760 * HOUR }],
  ['force-snooze', { verb: 'force-snooze' }],
  ['override 2h @2026-03-02T18:00:00+01:00', { verb: 'override', duration: 2 * HOUR, at: AT }],
  ['pin @2026-03-02T17:00:00Z', { verb: 'pin', at: AT }],
  ['unpin @2026-03-02t17:00:00.250z', { verb: 'unpin', at: AT + 250 }],
  ['resume', { verb: 'resume' }],
  ['adopt 3', { verb: 'adopt', count: 3 }],
  ['adopt 0 @2026-03-02T17:00:00Z', { verb: 'adopt', count: 0, at: AT }],
]

const REFUSED: [string, RegExp][] = [
  ['', /^expected one of wake, snooze, .* found nothing$/],
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
  const at = fc.option(fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2100, 0) }), { nil: undefined })
  const duration = fc.option(
    fc.integer({ min: 1, max: 8760 * 60 }).map((minutes) => minutes * MINUTE),
    {
      nil: undefined,
    },
  )
  const count = fc.integer({ min: 0, max: 2 ** 31 - 1 })
  return fc
    .record({ verb: fc.constantFrom(...VERBS), duration, count, at })
    .map(({ verb, duration, count, at }) => ({
      verb,
      ...(verb === 'adopt' && { count }),
      ...(['wake', 'snooze', 'force-snooze', 'override'].includes(verb) &&
        duration !== undefined && { duration }),
      ...(at !== undefined && { at }),
    }))
}

import { expect } from 'chai'
import fc from 'fast-check'
import {
  decodeState,
  encodeState,
  STATE_LIMIT,
  Unreadable,
} from '../../../src/domain/workload/state-codec.ts'
import { KINDS, type Kind } from '../../../src/domain/workload/workload.ts'
import { anyState } from '../../support/arbitrary-marks.ts'
import { mutated } from '../../support/json-mutations.ts'
import { propertyRuns } from '../../support/property-runs.ts'
import { at } from '../../support/rules.ts'

const STATE = fc.constantFrom<Kind>(...KINDS).chain((kind) => anyState(at('Mon 17:55'), kind))
const NEARLY = mutated(STATE.map((text): unknown => JSON.parse(text))).map(
  (state) => JSON.stringify(state) ?? '',
)
const LONG = fc
  .tuple(STATE, fc.constantFrom('"', '\\', '\0', '🐭', '\ud800', 'é'))
  .map(([text, character]) =>
    text.replaceAll(/"by":"[^"]*"/g, () => `"by":${JSON.stringify(character.repeat(64))}`),
  )

describe('any text in the state annotation', () => {
  const texts: Readonly<Record<string, fc.Arbitrary<string>>> = {
    'any text': fc.string({ unit: 'binary', maxLength: 1000 }),
    'any JSON': fc.json(),
    'a state': STATE,
    'a state with long names': LONG,
    'a state that was changed in some places': NEARLY,
    'a state that was cut': fc
      .tuple(STATE, fc.nat(2000), fc.string({ maxLength: 3 }))
      .map(([text, place, other]) => text.slice(0, place) + other + text.slice(place + 1)),
  }
  for (const [what, arbitrary] of Object.entries(texts))
    it(`is unreadable for a reason, or written again as it was read, within 8 KiB: ${what}`, () => {
      fc.assert(
        fc.property(arbitrary, (text) => {
          const state = decodeState(text)
          if (state instanceof Unreadable) {
            expect(state.fault).to.have.length.within(1, 300)
            return
          }
          const written = encodeState(state)
          expect(Buffer.byteLength(written)).to.be.at.most(STATE_LIMIT)
          const again = decodeState(written)
          if (again instanceof Unreadable) throw new Error(`${written} is unreadable: ${again.fault}`)
          expect(encodeState(again)).to.equal(written)
          const history = state.history.slice(0, again.history.length)
          expect(normal(again)).to.deep.equal(normal({ ...state, history }))
        }),
        propertyRuns(300),
      )
      expect(({} as { asleep?: unknown }).asleep, 'the prototype of all objects').to.equal(undefined)
    })
})

/** 0 for -0, which JSON does not have. */
function normal(value: object): unknown {
  return JSON.parse(JSON.stringify(value))
}

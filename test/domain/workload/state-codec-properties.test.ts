import { expect } from 'chai'
import fc from 'fast-check'
import {
  decodeState,
  encodeState,
  STATE_LIMIT,
  Unreadable,
  type StateTexts,
} from '../../../src/domain/workload/state-codec.ts'
import type { StoredState } from '../../../src/domain/workload/state.ts'
import { KINDS, type Kind } from '../../../src/domain/workload/workload.ts'
import { anyState } from '../../support/arbitrary-marks.ts'
import { mutated } from '../../support/json-mutations.ts'
import { decoded } from '../../support/readable.ts'
import { propertyRuns } from '../../support/property-runs.ts'
import { at } from '../../support/rules.ts'

const STATE = fc.constantFrom<Kind>(...KINDS).chain((kind) => anyState(at('Mon 17:55'), kind))
const NEARLY = fc
  .tuple(mutated(STATE.map(({ state }): unknown => JSON.parse(state))), STATE)
  .map(([state, { history }]) => texts(JSON.stringify(state) ?? '', history))
const LONG = fc
  .tuple(STATE, fc.constantFrom('"', '\\', '\0', '🐭', '\ud800', 'é', '[', ' ', '@'))
  .map(([{ state, history }, character]) => {
    const name = JSON.stringify(character.repeat(64))
    return texts(
      state.replaceAll(/"by":"[^"]*"/g, () => `"by":${name}`),
      history?.replaceAll(/"[^"]*"/g, () => name),
    )
  })
/** Words of a history, most of them like those of some release. */
const WORD = fc.stringMatching(/^-?\d{0,16}(@\d{0,2})?([swx](\d{0,11})?)?([/!+#@-][\w[-]{0,3}){0,3}$/)
const WORDS = fc
  .tuple(STATE, fc.array(WORD, { maxLength: 22 }), fc.constantFrom('', ' ["k8s:alice","x y"]', ' [7]', ' ["'))
  .map(([{ state }, words, names]) => texts(state, `2026-03-02T18:00:00.012Z ${words.join(' ')}${names}`))

function texts(state: string, history: string | undefined): StateTexts {
  return history === undefined ? { state } : { state, history }
}

describe('any texts in the annotations of the state', () => {
  const given: Readonly<Record<string, fc.Arbitrary<StateTexts>>> = {
    'any text': fc.string({ unit: 'binary', maxLength: 1000 }).map((state) => ({ state })),
    'any JSON': fc.json().map((state) => ({ state })),
    'a state': STATE,
    'a state with long names': LONG,
    'a state that was changed in some places': NEARLY,
    'a history of any words': WORDS,
    'any history': fc
      .tuple(STATE, fc.string({ unit: 'binary', maxLength: 200 }))
      .map(([{ state }, history]) => ({ state, history })),
    'a state or a history that was cut': fc
      .tuple(STATE, fc.constantFrom('state', 'history'), fc.nat(1000), fc.string({ maxLength: 3 }))
      .map(([both, name, place, other]) => {
        const text = both[name] ?? ''
        return { ...both, [name]: text.slice(0, place) + other + text.slice(place + 1) }
      }),
  }
  for (const [what, arbitrary] of Object.entries(given))
    it(`are unreadable for a reason, or written again as they were read, within 8 KiB: ${what}`, () => {
      fc.assert(
        fc.property(arbitrary, ({ state: text, history: operations }) => {
          const state = decodeState(text, operations)
          if (state instanceof Unreadable) {
            expect(state.fault).to.have.length.within(1, 300)
            return
          }
          const written = encodeState(state)
          expect(Buffer.byteLength(written.state + (written.history ?? ''))).to.be.at.most(STATE_LIMIT)
          const again = decoded(written)
          expect(encodeState(again)).to.deep.equal(written)
          const { length } = again.history
          expect(normal(again)).to.deep.equal(normal({ ...state, history: state.history.slice(0, length) }))
        }),
        propertyRuns(300),
      )
      expect(({} as { asleep?: unknown }).asleep, 'the prototype of all objects').to.equal(undefined)
    })
})

/** 0 for -0, which JSON does not have. Where times go back, unread operations are sorted by theirs. */
function normal({ unreadHistory = [], ...state }: StoredState): unknown {
  const unread = unreadHistory.map(({ at, by, word }) => `${at} ${by} ${word}`).sort()
  return JSON.parse(JSON.stringify({ ...state, unread }))
}

import { expect } from 'chai'
import fc from 'fast-check'
import { propertyRuns } from './property-runs.ts'

/** A notation that people write: a text of it has one canonical form, any other is refused with the place of its fault. */
interface Notation<T> {
  readonly read: (text: string) => T
  readonly write: (value: T) => string
  readonly refusal: new (...args: never[]) => Error & { readonly position: number }
  /** Characters of a text, and of its canonical form. */
  readonly longest: number
  /** Whole texts, and parts of which nearly right ones are made. */
  readonly texts: readonly string[]
  readonly parts: readonly string[]
}

/**
 * Defines the properties of a notation: for any text, `read` returns a value that `write` and `read` keep, or throws
 * the refusal, whose position is a column of the text (from 1; one past the end for the end).
 */
export function readsOrRefuses<T>({ read, write, refusal, longest, texts, parts }: Notation<T>): void {
  const sources: Readonly<Record<string, fc.Arbitrary<string>>> = {
    'any text': fc.string({ unit: 'binary', maxLength: 700 }),
    'any parts of it': fc.array(fc.constantFrom(...parts), { maxLength: 40 }).map((some) => some.join('')),
    'a text with a change in it': fc
      .tuple(
        fc.constantFrom(...texts),
        fc.nat(200),
        fc.nat(4),
        fc.oneof(fc.constantFrom(...parts), fc.string()),
      )
      .map(([text, at, removed, other]) => {
        const place = at % (text.length + 1)
        return text.slice(0, place) + other + text.slice(place + removed)
      }),
    'a text many times': fc
      .tuple(fc.constantFrom(...texts), fc.constantFrom(...parts), fc.integer({ min: 2, max: 200 }))
      .map(([text, part, times]) => Array.from({ length: times }, () => text).join(part)),
  }
  for (const [what, source] of Object.entries(sources))
    it(`${what} has one canonical form, or a fault with its place`, () => {
      let refused = 0
      let understood = 0
      fc.assert(
        fc.property(source, (text) => {
          let value: T
          try {
            value = read(text)
          } catch (error) {
            refused += 1
            expect(error).to.be.instanceOf(refusal)
            const { position, message } = error as InstanceType<typeof refusal>
            expect(position, message)
              .to.satisfy(Number.isInteger)
              .and.to.be.within(1, text.length + 1)
            expect(message).to.match(new RegExp(`^at ${position}: expected `))
            expect(message).to.have.length.at.most(400)
            return
          }
          understood += 1
          const canonical = write(value)
          expect(text).to.have.length.at.most(longest)
          expect(canonical).to.have.length.at.most(longest)
          expect(read(canonical)).to.deep.equal(value)
          expect(write(read(canonical))).to.equal(canonical)
        }),
        propertyRuns(500),
      )
      expect(refused).to.be.above(0)
      // Parts in any order are a right text by chance alone.
      if (what.startsWith('a text')) expect(understood).to.be.above(0)
    })
}

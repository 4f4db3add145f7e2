import { expect } from 'chai'
import fc from 'fast-check'
import {
  InvalidLabelSelector,
  labelMatcher,
  parseLabelSelector,
} from '../../../src/domain/policy/label-selector.ts'

const web = { app: 'web', tier: 'front', 'shop.example/size': '7', empty: '' }

describe('label selectors', () => {
  const cases: [selector: string, matches: boolean][] = [
    ['', true],
    ['  ', true],
    ['app=web', true],
    ['app==web', true],
    [' app = web , tier = front ', true],
    ['app=web,tier=back', false],
    ['app!=web', false],
    ['app!=db', true],
    ['none!=db', true],
    ['app', true],
    ['none', false],
    ['!app', false],
    ['!none', true],
    ['! none', true],
    ['app in (db,web)', true],
    ['app in(db, web )', true],
    ['app in (db)', false],
    ['app notin (db)', true],
    ['app notin (web)', false],
    ['none notin (web)', true],
    ['none in (web)', false],
    ['empty=', true],
    ['empty in (,a)', true],
    ['none=', false],
    ['shop.example/size=7', true],
    ['shop.example/size>6', true],
    ['shop.example/size<7', false],
    ['app>1', false],
    ['none<1', false],
    ['in=web', false],
    ['in in (in)', false],
    ['constructor', false],
  ]
  for (const [selector, matches] of cases) {
    it(`"${selector}" ${matches ? 'matches' : 'does not match'}`, () => {
      expect(parseLabelSelector(selector)(web)).to.equal(matches)
    })
  }

  it('an object without labels matches what asks for the absence of one', () => {
    expect(parseLabelSelector('app')(undefined)).to.equal(false)
    expect(parseLabelSelector('!app,tier!=back')(undefined)).to.equal(true)
  })

  it('an entry of matchExpressions is compiled by the same rules', () => {
    expect(labelMatcher({ key: 'app', operator: 'In', values: ['db', 'web'] })(web)).to.equal(true)
    expect(labelMatcher({ key: 'none', operator: 'NotIn', values: ['web'] })(web)).to.equal(true)
    expect(labelMatcher({ key: 'app', operator: 'Exists' })(web)).to.equal(true)
    expect(labelMatcher({ key: 'app', operator: 'DoesNotExist' })(web)).to.equal(false)
    expect(labelMatcher({ key: 'app', operator: 'In' })(web)).to.equal(false)
  })

  const faults: [selector: string, message: string][] = [
    ['app web', "at 5: expected one of =, ==, !=, in, notin, < and >, found 'web'"],
    ['app=web,', 'at 9: expected the key of a label, found the end'],
    [',app', "at 1: expected the key of a label, found ',app'"],
    ['app in web', "at 8: expected '(', found 'web'"],
    ['app in ()', "at 9: expected at least one value, found ')'"],
    ['app in (web', "at 12: expected ',' or ')', found the end"],
    ['app=we$b', "at 5: expected the value of a label, found 'we$b'"],
    ['app=-web', "at 5: expected the value of a label, found '-web'"],
    ['a/b/c', "at 1: expected the key of a label, found 'a/b/c'"],
    ['Shop/app', "at 1: expected the key of a label, found 'Shop/app'"],
    ['size>big', "at 6: expected an integer, found 'big'"],
    ['app=web tier=front', "at 9: expected ',' or the end, found 'tier=front'"],
    ['!app=web', "at 5: expected ',' or the end, found '=web'"],
  ]
  for (const [selector, message] of faults) {
    it(`"${selector}" is refused: ${message}`, () => {
      expect(() => parseLabelSelector(selector)).to.throw(InvalidLabelSelector, message)
    })
  }

  it('a key or value of more than 63 characters, or a prefix of more than 253, is refused', () => {
    expect(() => parseLabelSelector('a'.repeat(64))).to.throw(InvalidLabelSelector)
    expect(() => parseLabelSelector(`a=${'a'.repeat(64)}`)).to.throw(InvalidLabelSelector)
    expect(() => parseLabelSelector(`${'a'.repeat(254)}/b`)).to.throw(InvalidLabelSelector)
    expect(parseLabelSelector(`${'a'.repeat(253)}/${'b'.repeat(63)}`)({})).to.equal(false)
  })

  it('any text is read or refused, and nothing else', () => {
    const piece = fc.constantFrom(...'app = != == ! in notin ( ) , < > 7 é'.split(' '), ' ', '\n')
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece).map((pieces) => pieces.join('')),
        ),
        (text) => {
          try {
            expect(parseLabelSelector(text)(web)).to.be.a('boolean')
          } catch (error) {
            if (!(error instanceof InvalidLabelSelector)) throw error
          }
        },
      ),
    )
  })
})

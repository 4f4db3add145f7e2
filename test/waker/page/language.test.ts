import { expect } from 'chai'
import { languageFor } from '../../../src/waker/page/language.ts'
import { pageHtml } from '../../../src/waker/page/html.ts'
import { statusOf } from '../../../src/waker/page/status.ts'
import { BUILT_IN, readLanguages } from '../../../src/waker/page/texts.ts'
import { KNOCK_STATES } from '../../../src/domain/traffic/knock.ts'
import { anAnswer, WEB } from './sleeper.ts'

const MORE = readLanguages(
  'waker.page more.yaml',
  'pt-BR: { button: Acordar }\nar: { button: أيقظه }\nde: { button: Los }',
)

describe("the page's language", () => {
  for (const [accept, tag] of [
    [undefined, 'en'],
    ['', 'en'],
    ['de', 'de'],
    ['de-AT, en;q=0.8', 'de'],
    ['en;q=0.5, de;q=0.7', 'de'],
    ['fr, de;q=0.3', 'de'],
    ['de;q=0, en', 'en'],
    ['*', 'en'],
    ['PT-br', 'pt-br'],
    ['pt', 'en'],
    ['ar-EG', 'ar'],
    [`${'xx,'.repeat(5000)}de`, 'en'],
    ['constructor, __proto__, de', 'de'],
    ['de;q=nonsense', 'de'],
  ] as const)
    it(`is ${tag} for Accept-Language: ${String(accept).slice(0, 40)}`, () => {
      expect(languageFor(accept, MORE).tag).to.equal(tag)
    })

  it('goes from right to left where its script does', () => {
    expect(languageFor('ar', MORE).direction).to.equal('rtl')
    expect(languageFor('de', MORE).direction).to.equal('ltr')
  })

  it('has what a file leaves out from the built-in language, else in English', () => {
    expect(languageFor('de', MORE).texts).to.include({ button: 'Los', again: 'Neu laden' })
    expect(languageFor('pt-BR', MORE).texts).to.include({ button: 'Acordar', again: 'Load it again' })
  })
})

describe('a file of texts', () => {
  for (const [text, fault] of [
    ['fr: { buton: Réveiller }', 'waker.page more.yaml: fr.buton is no text of the page: it has place, '],
    ['fr: { button: 3 }', 'waker.page more.yaml: fr.button must be a text of at most 300 characters'],
    ['fr: { button: " " }', 'waker.page more.yaml: fr.button must be a text'],
    [
      'fr: { button: "Réveiller {service}" }',
      'fr.button has {service}, which nothing fills in: it may have none',
    ],
    ['fr: Réveiller', 'waker.page more.yaml: fr must map keys to texts'],
    ['"f r": {}', 'waker.page more.yaml: "f r" is no language'],
    ['- fr', 'waker.page more.yaml: must map languages to texts'],
    ['{', 'waker.page more.yaml: neither YAML nor JSON'],
  ] as const)
    it(`is refused, with the place: ${text}`, () => {
      expect(() => readLanguages('waker.page more.yaml', text)).to.throw(fault)
    })
})

describe("the page's texts", () => {
  for (const [tag] of BUILT_IN)
    it(`are all filled in and at most 10 KB together in each state: ${tag}`, () => {
      const language = languageFor(tag, BUILT_IN)
      for (const state of [...KNOCK_STATES, undefined])
        for (const late of [false, true]) {
          const until = '2026-11-30T07:00:00Z'
          const answer = state && anAnswer({ state, late, until })
          const html = pageHtml({ status: statusOf(WEB, answer, language, true), posted: true }, language)
          expect(html, state).not.to.match(/>[^<]*[{}][^<]*<\/(?:p|h1|title|button)>/)
          expect(Buffer.byteLength(html), state).to.be.at.most(10_240)
        }
    })

  it('tell the time on the server in UTC, and longer wakes in minutes', () => {
    const language = languageFor('en', BUILT_IN)
    const html = (answer = anAnswer()) =>
      pageHtml({ status: statusOf(WEB, answer, language, false), posted: false }, language)
    expect(html()).to.include('<time datetime="2026-11-30T07:00:00Z">Mon 30 Nov, 07:00 UTC</time>')
    expect(html(anAnswer({ state: 'waking' }))).to.include('usually takes 38 seconds')
    expect(html(anAnswer({ state: 'waking', usual_seconds: 130 }))).to.include('usually takes 3 minutes')
  })
})

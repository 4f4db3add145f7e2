import { expect } from 'chai'
import { textForPeople } from '../../../src/domain/workload/author.ts'

describe('a text for people', () => {
  const asked = (text: string) => textForPeople(text, (at) => `<${at}>`)

  for (const [text, shown] of [
    ['woken by k8s:ana at 1970-01-01T00:00:01Z', 'woken by ana at <1000>'],
    ['from 1970-01-01T00:00:00.500Z to 1970-01-01T00:00:02Z', 'from <500> to <2000>'],
    ['pinned by review:ana', 'pinned by review:ana'],
    ['woken by oidc:ci@1970-01-01T00:00:01Z', 'woken by ci@1970-01-01T00:00:01Z'],
  ] as const) {
    it(`"${text}" is shown as "${shown}"`, () => expect(asked(text)).to.equal(shown))
  }
})

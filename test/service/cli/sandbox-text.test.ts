import { expect } from 'chai'
import { pasteable } from '../../../src/service/cli/sandbox-text.ts'

const readyAt = Date.parse('2026-03-02T12:00:18.4Z')
const text = pasteable(
  {
    api: 'http://127.0.0.1:1',
    metrics: 'http://127.0.0.1:2',
    console: 'http://127.0.0.1:1/console#secret=abc',
    kubeconfig: '/tmp/sandbox/kubeconfig',
    plugins: '/tmp/sandbox/bin',
    token: 'a.b.c',
  },
  {
    context: 'dormouse-sandbox',
    nap: { from: Date.parse('2026-03-02T12:01:00Z'), until: Date.parse('2026-03-02T12:06:00Z') },
    readyAt,
    startedIn: 1345,
    timezone: 'Europe/Berlin',
  },
)
const commands = text.split('\n').filter((line) => line.startsWith('  '))

describe('what the sandbox prints', () => {
  it('names its own context in every kubectl command, so that none reaches another cluster', () => {
    const kubectl = commands.filter((line) => line.includes('kubectl'))
    expect(kubectl).to.have.length.above(2)
    for (const line of kubectl) expect(line).to.match(/^ {2}kubectl .*--context dormouse-sandbox( |$)/)
  })

  it('begins with one paste, after which kubectl dormouse answers', () => {
    expect(commands.slice(0, 3)).to.deep.equal([
      '  export KUBECONFIG=/tmp/sandbox/kubeconfig',
      '  export PATH="/tmp/sandbox/bin:$PATH"',
      '  kubectl dormouse why storefront -n staging --context dormouse-sandbox',
    ])
  })

  it('has the client before the console, and the console before what programs need', () => {
    const places = ['kubectl dormouse', '/console#secret', '/api/v1', 'curl'].map((each) =>
      text.indexOf(each),
    )
    expect(places)
      .to.deep.equal(places.toSorted((a, b) => a - b))
      .and.not.include(-1)
    expect(text).to.contain('\n  http://127.0.0.1:1/console#secret=abc\n')
    expect(text.split('\n')).to.have.length.below(45)
  })

  it('gives its shell function another name than the program', () => {
    expect(text).to.contain('\n  dm() { curl ')
    expect(commands.filter((line) => /^ {2}dormouse\b/.test(line))).to.deep.equal([])
  })

  it("gives the times at which storefront falls asleep and wakes in the reader's time zone, before one watches it", () => {
    expect(text).to.contain('falls asleep by its own schedule at 13:01 (in 41 s) and wakes at 13:06.')
    expect(text.indexOf('falls asleep')).to.be.lessThan(text.indexOf('list -n staging'))
  })

  it("gives a schedule in the reader's time zone, and says that it may put the workload to sleep now", () => {
    expect(text).to.contain('--schedule 8:00-18:00,Mon-Fri --timezone Europe/Berlin')
    expect(text).to.contain('outside of them this puts it to sleep now')
  })

  it('says how long it took', () => {
    expect(text).to.match(/^Dormouse is ready after 1\.3 s,/)
  })
})

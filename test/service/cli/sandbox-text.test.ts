import { expect } from 'chai'
import { pasteable } from '../../../src/service/cli/sandbox-text.ts'

const MINUTE = 60_000
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
    naps: { first: Date.parse('2026-03-02T12:01:00Z'), asleepFor: 10 * MINUTE, every: 30 * MINUTE, times: 6 },
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

  it('has kubectl dormouse found by kubectl, and shows it on its own context alone', () => {
    expect(commands).to.include('  export PATH="/tmp/sandbox/bin:$PATH"')
    expect(commands.filter((line) => line.includes('kubectl dormouse'))).to.deep.equal([
      '  kubectl dormouse why storefront -n staging --context dormouse-sandbox',
    ])
  })

  it('begins with the link that opens the console signed in', () => {
    expect(text).to.contain('\n  Console      http://127.0.0.1:1/console#secret=abc\n')
    expect(text.indexOf('/console#secret')).to.be.lessThan(text.indexOf('/api/v1'))
  })

  it('gives its shell function another name than the program', () => {
    expect(text).to.contain('\n  dm() { curl ')
    expect(commands.filter((line) => /^ {2}dormouse\b/.test(line))).to.deep.equal([])
  })

  it("gives the times at which storefront falls asleep in the reader's time zone, before the first command", () => {
    expect(text).to.contain(
      'falls asleep by its own schedule at 13:01:00 (in 41 s) and wakes at 13:11:00; again every 30 minutes, 6 times in all.',
    )
    expect(text.indexOf('falls asleep')).to.be.lessThan(text.indexOf('/enable'))
  })

  it("gives a schedule in the reader's time zone, and says that it may put the workload to sleep now", () => {
    expect(text).to.contain(`-d '{"schedule": "8:00-18:00,Mon-Fri", "timezone": "Europe/Berlin"}'`)
    expect(text).to.contain('outside of them this puts it to sleep now')
  })

  it('says how long it took', () => {
    expect(text).to.match(/^Dormouse is ready after 1\.3 s,/)
  })
})

import { join } from 'node:path'
import { expect } from 'chai'
import { hasDocs, pasteable } from '../../src/cli/sandbox-text.ts'
import { PROJECT } from '../support/dormouse.ts'

const readyAt = Date.parse('2026-03-02T12:00:18.4Z')
const printed = (isInCheckout: boolean) =>
  pasteable(
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
      hasDocs: isInCheckout,
    },
  )
const text = printed(true)

describe('what the sandbox prints', () => {
  it("gives the times at which storefront falls asleep and wakes in the reader's time zone, before one watches it", () => {
    expect(text).to.contain('falls asleep by its own schedule at 13:01 (in 41 s) and wakes at 13:06.')
    expect(text.indexOf('falls asleep')).to.be.lessThan(text.indexOf('list -n staging'))
  })

  it('quotes the paths that a shell is to read, since a folder for temporary files may have a blank', () => {
    expect(text).to.include('export KUBECONFIG="/tmp/sandbox/kubeconfig"\n')
    expect(text).to.include('export PATH="/tmp/sandbox/bin:$PATH"\n')
  })

  it("gives a schedule in the reader's time zone, and says that it may put the workload to sleep now", () => {
    expect(text).to.contain('--schedule 8:00-18:00,Mon-Fri --timezone Europe/Berlin')
    expect(text).to.contain('outside of them this puts it to sleep now')
  })

  it('fits a screen, has the client before the console and that before what programs need', () => {
    expect(text).to.match(/^Dormouse is ready after 1\.3 s,/)
    expect(text.split('\n')).to.have.length.below(45)
    expect(text).to.match(
      /kubectl dormouse [^]*\n {2}http:\/\/127.0.0.1:1\/console#secret=abc\n[^]*\/api\/v1[^]*curl/,
    )
  })

  it('names the docs where they lie beside the program; those of the repository, once, where they do not', () => {
    expect(text.match(/docs\/\S+/g)).to.deep.equal(['docs/api.md),', 'docs/quick-start.md'])
    expect(text).to.match(/\nRead on in docs\/quick-start\.md\n$/)
    const packed = printed(false)
    expect(packed.match(/\S*docs\/\S+/g)).to.deep.equal([
      'https://github.com/dormouse-dev/dormouse/blob/main/docs/quick-start.md',
    ])
    expect(hasDocs(join(PROJECT, 'src', 'main.ts'))).to.equal(true)
    expect(hasDocs('/somewhere/kubectl-dormouse/lib/sandbox.js')).to.equal(false)
  })
})

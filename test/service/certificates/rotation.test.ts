import { expect } from 'chai'
import { issueCa, issueLeaf } from '../../../src/service/certificates/issue.ts'
import type { CertificateSet } from '../../../src/service/certificates/secret-data.ts'
import { certificatesAfter, nextStep, type Situation } from '../../../src/service/certificates/rotation.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const LIFETIMES = { leafLifetime: 7 * DAY, caLifetime: 365 * DAY, renewAt: 2 / 3 }
const NAMES = ['dormouse.dormouse.svc']

/** Certificates dated by clocks that are ahead by these milliseconds. */
async function made({ ca = 0, leaf = 0, next }: { ca?: number; leaf?: number; next?: number }) {
  const authority = await issueCa(NOW + ca, LIFETIMES.caLifetime)
  const coming = next === undefined ? undefined : await issueCa(NOW + next, LIFETIMES.caLifetime)
  return {
    ca: authority,
    leaf: await issueLeaf(authority, NAMES, NOW + leaf, LIFETIMES.leafLifetime),
    ...(coming && { next: coming }),
  }
}

function situation(stored: CertificateSet, more: Partial<Situation> = {}): Situation {
  const publishedAt = NOW - 10 * MINUTE
  return { stored, now: NOW, names: NAMES, lifetimes: LIFETIMES, publishedAt, repairedAt: undefined, ...more }
}

describe('the rotation, when a clock was ahead', () => {
  it('renews the certificate', async () => {
    expect(nextStep(situation(await made({ leaf: 6 * DAY })))).to.include({ do: 'renew-leaf', early: true })
  })

  it('announces another CA instead of the next one, even if that was published', async () => {
    expect(nextStep(situation(await made({ next: 6 * DAY })))).to.include({ do: 'announce-ca', early: true })
  })

  it('issues the CA again, and does not keep one that is dated ahead', async () => {
    const here = situation(await made({ ca: 6 * DAY, leaf: 6 * DAY }))
    expect(nextStep(here)).to.include({ do: 'make-anew', early: true })
    const good = await made({})
    expect(await certificatesAfter('make-anew', here, good)).to.deep.include(good)
    expect((await certificatesAfter('make-anew', here, here.stored)).ca).not.to.deep.equal(here.stored?.ca)
  })

  it('tolerates a few minutes', async () => {
    expect(nextStep(situation(await made({ leaf: 7 * MINUTE })))).to.include({ do: 'nothing' })
    expect(nextStep(situation(await made({ leaf: 9 * MINUTE })))).to.include({ do: 'renew-leaf' })
  })

  it('repairs at most once a minute', async () => {
    const stored = await made({ leaf: 6 * DAY })
    const repaired = (repairedAt: number) => nextStep(situation(stored, { repairedAt }))
    expect(repaired(NOW - MINUTE + 1)).to.deep.equal({ do: 'nothing', lookAgainAt: NOW + 1 })
    expect(repaired(NOW - MINUTE)).to.include({ do: 'renew-leaf' })
  })

  it('repairs at once when its last repair lies in the future: its own clock was set back', async () => {
    const step = nextStep(situation(await made({ leaf: 6 * DAY }), { repairedAt: NOW + 6 * DAY }))
    expect(step).to.include({ do: 'renew-leaf' })
  })
})

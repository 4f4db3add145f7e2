import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { PROJECT } from '../support/dormouse.ts'
import { cacheDirectory, minorOf, versionsOf } from './programs.ts'

describe("the control plane's programs", () => {
  it('are of the newest release, unless DORMOUSE_KUBERNETES asks for another', () => {
    const newest = versionsOf(undefined)
    expect(versionsOf('')).to.equal(newest)
    expect(versionsOf(minorOf(newest.kubernetes))).to.equal(newest)
    const oldest = versionsOf('oldest')
    expect(oldest).not.to.equal(newest)
    expect(versionsOf(minorOf(oldest.kubernetes))).to.equal(oldest)
  })

  it('are at their oldest of the oldest release that the chart admits', async () => {
    const chart = await readFile(join(PROJECT, 'charts', 'dormouse', 'Chart.yaml'), 'utf8')
    const { kubernetes } = versionsOf('oldest')
    expect(chart).to.include(`\nkubeVersion: '>=${minorOf(kubernetes)}.0-0'\n`)
  })

  it('cannot be of a release that nobody pinned, and it is said which there are', () => {
    const known = ['newest', 'oldest'].map((which) =>
      minorOf(versionsOf(which === 'oldest' ? which : undefined).kubernetes),
    )
    expect(() => versionsOf('1.3')).to.throw(
      `DORMOUSE_KUBERNETES=1.3: the suite runs on ${known.join(', ')} and oldest`,
    )
  })

  it('of each release have a folder of their own', () => {
    const folders = [undefined, 'oldest'].map((release) => cacheDirectory(versionsOf(release)))
    expect(new Set(folders).size, folders.join(' ')).to.equal(2)
  })
})

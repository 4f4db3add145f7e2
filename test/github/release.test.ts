import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { releaseOf, type Sources } from '../../.github/release.ts'
import { PROJECT } from '../support/dormouse.ts'

const agreeing: Sources = {
  packageJson: '{ "version": "1.2.3" }',
  chart: 'apiVersion: v2\nversion: 1.2.3 # the chart\nappVersion: "1.2.3"\n',
  changelog:
    '# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-01-31\n\n### Fixed\n\n- This.\n\n## [1.2.2]\n\n- That.\n',
}

describe('a release', () => {
  it('is told by what the changelog says of its version', () => {
    expect(releaseOf('v1.2.3', agreeing)).to.deep.equal({ notes: '### Fixed\n\n- This.' })
  })

  it('is refused with everything that does not agree with its tag', () => {
    const chart = 'version: 1.2.2\n'
    expect(releaseOf('v1.2.3', { ...agreeing, chart })).to.deep.equal({
      faults: [
        'charts/dormouse/Chart.yaml: version is 1.2.2, and the tag v1.2.3 says 1.2.3',
        'charts/dormouse/Chart.yaml: appVersion is missing, and the tag v1.2.3 says 1.2.3',
      ],
    })
    expect(releaseOf('v1.2.4', agreeing)).to.have.property('faults').with.length(4)
  })

  it('needs notes, and a tag that is a version', () => {
    const faultsOf = (tag: string, sources: Sources) => releaseOf(tag, sources)
    expect(faultsOf('v1.2.3', { ...agreeing, changelog: '## [1.2.3]\n\n## [1.2.2]\n- That.' })).to.deep.equal(
      {
        faults: ['CHANGELOG.md has nothing under a heading "## [1.2.3]"'],
      },
    )
    expect(faultsOf('1.2.3', agreeing)).to.deep.equal({
      faults: ['the tag 1.2.3 is not like v1.2.3 or v1.2.3-rc.1'],
    })
  })

  it('of this project would find one version in the package and the chart', async () => {
    const { version } = JSON.parse(await readFile(join(PROJECT, 'package.json'), 'utf8')) as {
      version: string
    }
    const script = join(PROJECT, '.github', 'release.ts')
    const { stderr } = await promisify(execFile)(process.execPath, [script, `v${version}`]).catch(
      (error: { stderr: string }) => error,
    )
    // Until the day of the release the changelog has no heading for it.
    expect(stderr.replace(/^CHANGELOG\.md has nothing.*\n/, '')).to.equal('')
  })
})

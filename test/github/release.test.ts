import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { FILES, releaseOf, withVersion, type Sources } from '../../.github/release.ts'
import { PROJECT } from '../support/dormouse.ts'

const lock = {
  name: 'dormouse',
  version: '1.2.3',
  packages: { '': { name: 'dormouse', version: '1.2.3' }, 'node_modules/a': { version: '1.2.2' } },
}

const agreeing: Sources = {
  'package.json': '{\n  "version": "1.2.3"\n}',
  'package-lock.json': JSON.stringify(lock, undefined, 2),
  'charts/dormouse/Chart.yaml': 'apiVersion: v2\nversion: 1.2.3 # the chart\nappVersion: "1.2.3"\n',
  'charts/dormouse/tests/deployment_test.yaml': "value: 'ghcr.io/dormouse-dev/dormouse:1.2.3' }\n",
  'docs/many-clusters.md': '      targetRevision: 1.2.3\n',
  'CHANGELOG.md':
    '# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-01-31\n\n### Fixed\n\n- This.\n\n## [1.2.2]\n\n- That.\n',
}

describe('a release', () => {
  it('is told by what the changelog says of its version', () => {
    expect(releaseOf('v1.2.3', agreeing)).to.deep.equal({ notes: '### Fixed\n\n- This.' })
  })

  it('is refused with everything that does not agree with its tag', () => {
    const sources = {
      ...agreeing,
      'charts/dormouse/Chart.yaml': 'version: 1.2.2\n',
      'docs/many-clusters.md': 'targetRevision: 1.2.1\n',
    }
    expect(releaseOf('v1.2.3', sources)).to.deep.equal({
      faults: [
        'charts/dormouse/Chart.yaml: version is 1.2.2, and the tag v1.2.3 says 1.2.3',
        'charts/dormouse/Chart.yaml: appVersion is missing, and the tag v1.2.3 says 1.2.3',
        'docs/many-clusters.md: targetRevision is 1.2.1, and the tag v1.2.3 says 1.2.3',
      ],
    })
    // Each place, and the changelog.
    expect(releaseOf('v1.2.4', agreeing)).to.have.property('faults').with.length(8)
  })

  it('needs notes, and a tag that is a version', () => {
    const changelog = '## [1.2.3]\n\n## [1.2.2]\n- That.'
    expect(releaseOf('v1.2.3', { ...agreeing, 'CHANGELOG.md': changelog })).to.deep.equal({
      faults: ['CHANGELOG.md has nothing under a heading "## [1.2.3]"'],
    })
    expect(releaseOf('1.2.3', agreeing)).to.deep.equal({
      faults: ['the tag 1.2.3 is not like v1.2.3 or v1.2.3-rc.1'],
    })
  })

  it('is made of files that one command has given its version', () => {
    const before = '## [Unreleased]\n\n- New.\n\n## [1.2.3]\n\n- Old.\n'
    const set = withVersion('1.3.0', '2026-02-01', { ...agreeing, 'CHANGELOG.md': before })
    expect(releaseOf('v1.3.0', set)).to.deep.equal({ notes: '- New.' })
    expect(set['CHANGELOG.md']).to.equal(
      '## [Unreleased]\n\n## [1.3.0] - 2026-02-01\n\n- New.\n\n## [1.2.3]\n\n- Old.\n',
    )
    expect(JSON.parse(set['package-lock.json'] ?? '')).to.deep.include({
      packages: { ...lock.packages, '': { name: 'dormouse', version: '1.3.0' } },
    })
    expect(() => withVersion('1.3.0', '2026-02-01', { ...agreeing, 'docs/many-clusters.md': '' })).to.throw(
      'docs/many-clusters.md names no version',
    )
    expect(() => withVersion('1.3.0', '2026-02-01', agreeing)).to.throw('nothing under "## [Unreleased]"')
  })

  it('that is a rehearsal leaves what is new under Unreleased, for the release itself', () => {
    const before = '## [Unreleased]\n\n- New.\n'
    const rehearsed = withVersion('1.3.0-rc.1', '2026-02-01', { ...agreeing, 'CHANGELOG.md': before })
    const again = withVersion('1.3.0-rc.1', '2026-02-02', rehearsed)
    expect(again).to.deep.equal(rehearsed)
    const released = withVersion('1.3.0', '2026-02-03', rehearsed)
    for (const [tag, set] of [
      ['v1.3.0-rc.1', rehearsed],
      ['v1.3.0', released],
    ] as const)
      expect(releaseOf(tag, set)).to.deep.equal({ notes: '- New.' })
  })

  it('compares every file that names the version', async () => {
    const { version } = JSON.parse(await readFile(join(PROJECT, 'package.json'), 'utf8')) as {
      version: string
    }
    const escaped = version.replaceAll('.', String.raw`\.`)
    const tracked = await promisify(execFile)(
      'git',
      ['grep', '--no-index', '--exclude-standard', '-lE', `\\b${escaped}\\b`],
      { cwd: PROJECT },
    )
    const naming = tracked.stdout.split('\n').filter((path) => path !== '')
    // An example in a form, and tests of their own.
    const examples = naming.filter((path) => !/^(?:\.github\/ISSUE_TEMPLATE|test)\//.test(path))
    expect(FILES).to.include.members(examples)
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

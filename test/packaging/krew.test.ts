import { expect } from 'chai'
import { archiveOf, krewManifest, PLATFORMS } from '../../packaging/krew.ts'

describe("krew's manifest", () => {
  it('has an archive with its sum, one program and the licences for each system', () => {
    const { apiVersion, spec } = krewManifest('1.2.3', (archive) => `sum of ${archive}`) as {
      apiVersion: string
      spec: { version: string; shortDescription: string; platforms: Record<string, unknown>[] }
    }
    expect(apiVersion).to.equal('krew.googlecontainertools.github.com/v1alpha2')
    expect(spec.version).to.equal('v1.2.3')
    // krew's own rule for its index.
    expect(spec.shortDescription.length).to.be.below(50)
    expect(spec.platforms).to.have.length(PLATFORMS.length)
    for (const [place, platform] of PLATFORMS.entries()) {
      const { os, arch } = platform
      expect(spec.platforms[place]).to.deep.include({
        selector: { matchLabels: { os, arch } },
        uri: `https://github.com/dormouse-dev/dormouse/releases/download/v1.2.3/kubectl-dormouse-${os}-${arch}.tar.gz`,
        sha256: `sum of ${archiveOf(platform)}`,
        bin: os === 'windows' ? 'kubectl-dormouse.exe' : 'kubectl-dormouse',
      })
    }
  })
})

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { bundle } from '../../build.ts'
import { idOf, lockOfProject, packagePathOf, productionPackages } from '../../dependencies/lock.ts'
import { IN_EXECUTABLES, IN_IMAGE, sbomOf, type Sbom } from '../../dependencies/sbom.ts'
import { PROJECT } from '../support/dormouse.ts'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
}

describe('the SBOM', function () {
  this.timeout(180_000)
  let bundled: string[]
  let lock: string
  let sbom: Sbom
  let ofNpm: Sbom['components']
  let project: Manifest

  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'dormouse-sbom-test-'))
    bundled = await bundle(folder)
    await rm(folder, { recursive: true, force: true })
    lock = await lockOfProject()
    sbom = await sbomOf(lock, bundled, { executables: '24.1.2', image: '24.3.4' })
    ofNpm = sbom.components.filter(({ name }) => name !== 'nodejs')
    project = JSON.parse(await readFile(join(PROJECT, 'package.json'), 'utf8')) as Manifest
  })

  it('is a CycloneDX document of this project and its version', () => {
    expect(sbom).to.include({ bomFormat: 'CycloneDX', specVersion: '1.5' })
    const { name, version } = project
    expect(sbom.metadata.component).to.include({ name, version, type: 'application' })
    expect(sbom['serialNumber']).to.match(/^urn:uuid:[0-9a-f-]{36}$/)
  })

  it('lists the packages of production, each with its version, licence and hash, and no other', () => {
    const expected = new Map(productionPackages(lock).map((each) => [idOf(each), each.license]))
    expect(ofNpm.map(idOf)).to.have.members([...expected.keys()])
    for (const component of ofNpm) {
      expect(component['purl']).to.match(/^pkg:npm\//)
      const license = expected.get(idOf(component))
      expect(component['licenses'], idOf(component)).to.deep.equal([
        license?.startsWith('(') ? { expression: license } : { license: { id: license } },
      ])
      expect(component['hashes']).to.have.length(1)
    }
  })

  it('is reached whole from what package.json names, over what each package needs', () => {
    const needs = new Map(sbom.dependencies.map(({ ref, dependsOn = [] }) => [ref, dependsOn]))
    const reached = new Set([sbom.metadata.component['bom-ref']])
    for (const ref of reached) for (const needed of needs.get(ref) ?? []) reached.add(needed)
    reached.delete(sbom.metadata.component['bom-ref'])
    expect([...reached]).to.have.members(ofNpm.map((component) => component['bom-ref']))
    const direct = Object.entries(project.dependencies).map(([name, version]) => idOf({ name, version }))
    expect(needs.get(sbom.metadata.component['bom-ref'])).to.have.members(direct)
  })

  it("says which of them the image's program has something of, and has them all", () => {
    const paths = new Set(bundled.map(packagePathOf).filter((path) => path !== undefined))
    const packages = productionPackages(lock)
    const foreign = [...paths].filter((path) => !packages.some((each) => each.path === path))
    expect(foreign, 'in the bundle, but not of production').to.deep.equal([])
    const inImage = packages.filter(({ path }) => paths.has(path)).map(idOf)
    const marked = ofNpm.filter(({ properties }) =>
      properties?.some(({ name, value }) => name === IN_IMAGE && value === 'true'),
    )
    expect(marked.map(idOf)).to.have.members([...new Set(inImage)])
    expect(marked.map(({ name }) => name)).to.include.members(['koa', 'undici', 'ajv'])
    // Which is for people with an older Node.
    expect(marked.map(({ name }) => name)).to.not.include('node')
  })

  it('names the Node inside the executables, and that of the image, as scanners know it', async () => {
    const marksOf = ({ components }: Sbom) =>
      components
        .filter(({ name }) => name === 'nodejs')
        .map(({ version, cpe, properties = [] }) => [
          version,
          cpe,
          ...properties.map(({ name, value }) => `${name} ${value}`),
        ])
    const cpe = (version: string) => `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`
    expect(marksOf(sbom)).to.deep.equal([
      ['24.1.2', cpe('24.1.2'), `${IN_EXECUTABLES} true`],
      ['24.3.4', cpe('24.3.4'), `${IN_IMAGE} true`],
    ])
    const ofOne = await sbomOf(lock, bundled, { executables: '24.1.2', image: '24.1.2' })
    expect(marksOf(ofOne)).to.deep.equal([
      ['24.1.2', cpe('24.1.2'), `${IN_EXECUTABLES} true`, `${IN_IMAGE} true`],
    ])
    expect(marksOf(await sbomOf(lock, bundled, { executables: '24.1.2' }))).to.have.length(1)
  })
})

import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { rehearse, type Rehearsal } from '../../.github/rehearsal/rehearsal.ts'
import { World } from '../../.github/rehearsal/world.ts'
import { archiveOf, PLATFORMS } from '../../packaging/krew.ts'
import { titlesOf } from '../github/steps.ts'

/** Most of it are executables for three systems. */
const PATIENCE = 1_800_000
/** Starts the program that it is to try; what all commands do is shown elsewhere. */
const BRIEF_TRIAL = `
import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'
const [program, ...args] = process.argv.slice(2)
const env = { PATH: dirname(process.execPath) + ':/usr/bin:/bin' }
process.exitCode = spawnSync(program, [...args, '--version'], { stdio: 'inherit', env }).status ?? 1
`

describe('a rehearsal of', function () {
  this.timeout(PATIENCE)

  describe('the release, by a tag v1.2.3-rc.1', () => {
    let world: World
    let done: Rehearsal

    before(async () => {
      world = await World.make()
      const said: string[] = []
      done = await rehearse({
        world,
        file: 'release.yaml',
        tag: 'v1.2.3-rc.1',
        changed: { 'packaging/try.ts': BRIEF_TRIAL },
        say: (line) => void said.push(line),
      })
    })

    after(() => world?.remove())

    it('runs every step that needs no network', async () => {
      const all = await titlesOf('release.yaml')
      expect([...new Set([...done.ran, ...done.leftOut])]).to.have.members(all)
    })

    it('ends in a release with every archive, the manifests and the lists of what is in them', async () => {
      const version = '1.2.3-rc.1'
      expect(await readdir(join(world.state, 'release'))).to.have.members([
        ...PLATFORMS.map(archiveOf),
        'dormouse.yaml',
        'notes',
        `dormouse-${version}.tgz`,
        `dormouse-${version}.cdx.json`,
        `dormouse-${version}-linux-amd64.spdx.json`,
        `dormouse-${version}-linux-arm64.spdx.json`,
        `headlamp-dormouse-${version}.tar.gz`,
      ])
      expect(await readdir(join(world.state, 'npm'))).to.deep.equal([`kubectl-dormouse-${version}`])
      expect(await readdir(join(world.state, 'registry'))).to.have.members([
        `ghcr.io+dormouse-dev+dormouse:${version}`,
        `ghcr.io+dormouse-dev+charts+dormouse:${version}`,
      ])
    })

    it('publishes the npm package last, under `next`, and only then the release, as a prerelease', async () => {
      const published = (await world.calls()).filter((call) =>
        /^(?:skopeo copy --all|helm push|gh release|npm publish)/.test(call),
      )
      expect(published.map((call) => call.split(' ').slice(0, 3).join(' '))).to.deep.equal([
        'skopeo copy --all',
        'helm push dormouse-1.2.3-rc.1.tgz',
        'gh release view',
        'gh release create',
        'npm publish ./kubectl-dormouse-1.2.3-rc.1.tgz',
        'gh release edit',
      ])
      expect(published.at(-2)).to.match(/ --tag next$/)
      expect(published.at(-1)).to.match(/ --prerelease$/)
    })

    it('has a program in each archive that starts, and the licences of Node, V8 and OpenSSL', async () => {
      for (const platform of PLATFORMS.filter(({ arch }) => arch === 'amd64')) {
        const archive = archiveOf(platform)
        const folder = join(world.folder, platform.os)
        await mkdir(folder)
        const program = platform.os === 'windows' ? 'kubectl-dormouse.exe' : 'kubectl-dormouse'
        const { code, log } = await world.run(
          `tar -xzf "${join(world.state, 'release', archive)}"\n./${program} --version`,
          ['-e'],
          folder,
          {},
        )
        expect([code, log]).to.deep.equal([0, '1.2.3-rc.1\n'])
        const licences = await readFile(join(folder, 'LICENSES.txt'), 'utf8')
        expect(licences).to.include('OpenSSL').and.include('V8').and.include('commander')
      }
      const signed = (await world.calls()).filter((call) => call.startsWith('codesign'))
      expect(signed).to.deep.equal(
        ['--remove-signature', '--sign -', '--verify --strict'].map(
          (how) => `codesign ${how} dist/executable/kubectl-dormouse`,
        ),
      )
    })
  })

  describe('CI, where a push has changed something', () => {
    it('runs every step that needs no network', async () => {
      const world = await World.make()
      try {
        const { ran } = await rehearse({ world, file: 'ci.yaml', tag: 'v1.2.3', say: () => {} })
        expect(ran).to.include('ci.yaml: image: It runs with nothing allowed')
      } finally {
        await world.remove()
      }
    })
  })
})

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { World, type Ended } from '../../.github/rehearsal/world.ts'
import { PROJECT } from '../support/dormouse.ts'
import { describeWith, moreTime } from '../suite/need.ts'

const STRICTLY = ['--noprofile', '--norc', '-eo', 'pipefail']
const IMAGE = 'ghcr.io/dormouse-dev/dormouse:1.2.3'
const CHARTS = 'oci://ghcr.io/dormouse-dev/charts'
const DIGEST = /^sha256:[0-9a-f]{64}\n/

describeWith(moreTime, 'what publishes a release', function () {
  this.timeout(300_000)
  let world: World
  let cwd: string
  let env: NodeJS.ProcessEnv

  beforeEach(async () => {
    world = await World.make()
    cwd = join(world.folder, 'job')
    await mkdir(cwd)
    await writeFile(join(cwd, 'package.json'), '{ "version": "1.2.3" }')
    await writeFile(join(cwd, 'image.tar'), 'our index')
    await writeFile(join(cwd, 'dormouse-1.2.3.tgz'), 'our chart')
    await writeFile(join(cwd, 'kubectl-dormouse-1.2.3.tgz'), 'our package')
    env = {
      ...(await world.home()),
      REGISTRY: 'ghcr.io',
      GITHUB_REPOSITORY: 'dormouse-dev/dormouse',
      GITHUB_REPOSITORY_OWNER: 'dormouse-dev',
      GH_TOKEN: 'token',
    }
    await bash('docker login <<<token')
  })

  afterEach(() => world.remove())

  function bash(script: string): Promise<Ended> {
    return world.run(script, STRICTLY, cwd, env)
  }

  const script = (name: string) => join(PROJECT, '.github', `${name}.sh`)
  const image = () => bash(`${script('publish-image')} image.tar ${IMAGE} 2>err; cat err >&2`)
  const chart = () => bash(`${script('publish-chart')} dormouse-1.2.3.tgz ${CHARTS} 1.2.3`)
  const npm = (version = '1.2.3') => bash(`${script('publish-npm')} ./kubectl-dormouse-1.2.3.tgz ${version}`)
  const kept = (...names: string[]) => join(world.state, ...names)
  const pushes = async () =>
    (await world.calls()).filter((call) => /skopeo copy|helm push|npm publish/.test(call))

  describe('the image', () => {
    it('is pushed as it was built, and its digest told', async () => {
      const { code, log } = await image()
      expect(code, log).to.equal(0)
      expect(log).to.match(DIGEST)
      expect(await pushes()).to.deep.equal([
        `skopeo copy --all --preserve-digests oci-archive:image.tar docker://${IMAGE}`,
      ])
    })

    it('is pushed once: a job that is run again finds the same', async () => {
      const first = await image()
      const second = await image()
      expect(second.code, second.log).to.equal(0)
      expect(second.log.split('\n')[0]).to.equal(first.log.split('\n')[0])
      expect(await pushes()).to.have.length(1)
    })

    it('is refused where its tag is another image: a tag never moves', async () => {
      await image()
      await writeFile(join(cwd, 'image.tar'), 'another index')
      const { log } = await bash(`! ${script('publish-image')} image.tar ${IMAGE}`)
      expect(log).to.include('A tag never moves: release a new version')
      expect(await pushes()).to.have.length(1)
    })

    it('is not pushed where nobody can tell what is there', async () => {
      await writeFile(kept('refused'), 'dial tcp: i/o timeout')
      const { log } = await bash(`! ${script('publish-image')} image.tar ${IMAGE}`)
      expect(log).to.include('i/o timeout').and.include('nothing was pushed')
      expect(await pushes()).to.deep.equal([])
    })

    it('is not pushed where the archive is none', async () => {
      const { log } = await bash(`! ${script('publish-image')} missing.tar ${IMAGE}`)
      expect(log).to.include('missing.tar is no OCI archive')
    })
  })

  describe('the chart', () => {
    it('is pushed, once, and its digest told', async () => {
      for (const time of ['first', 'second']) {
        const { code, log } = await chart()
        expect(code, `${time}: ${log}`).to.equal(0)
        expect(log.split('\n').find((line) => line.startsWith('sha256:'))).to.match(/^sha256:[0-9a-f]{64}$/)
      }
      expect(await pushes()).to.deep.equal([`helm push dormouse-1.2.3.tgz ${CHARTS}`])
    })

    it('is refused where its version is another chart, or nobody can tell', async () => {
      await chart()
      await writeFile(join(cwd, 'dormouse-1.2.3.tgz'), 'another chart')
      const other = await chart()
      expect(other.code).to.equal(1)
      expect(other.log).to.include('A version never changes: release a new one')
      await writeFile(kept('refused'), 'i/o timeout')
      const unknown = await chart()
      expect(unknown.code).to.equal(1)
      expect(unknown.log).to.include('nothing was pushed')
      expect(await pushes()).to.have.length(1)
    })
  })

  describe('the npm package', () => {
    it('is published, once, under the tag of its kind', async () => {
      for (let time = 0; time < 2; time += 1) {
        const { code, log } = await npm()
        expect(code, log).to.equal(0)
      }
      const rehearsed = await npm('1.2.3-rc.1')
      expect(rehearsed.code, rehearsed.log).to.equal(0)
      const publish = 'npm publish ./kubectl-dormouse-1.2.3.tgz --access public --provenance --tag'
      expect(await pushes()).to.deep.equal([`${publish} latest`, `${publish} next`])
    })

    it('is refused where its version is another package', async () => {
      await npm()
      await writeFile(join(cwd, 'kubectl-dormouse-1.2.3.tgz'), 'another package')
      const { code, log } = await npm()
      expect(code).to.equal(1)
      expect(log).to.include('is another package').and.include('release a new one')
    })

    it('is for a person to publish the first time, which npm does not allow a workflow', async () => {
      await rm(kept('npm'), { recursive: true })
      const { code, log } = await npm()
      expect(code).to.equal(1)
      expect(log).to.include('npm has no kubectl-dormouse yet').and.include('by hand')
    })

    it('is not published where nobody can tell what is there', async () => {
      await writeFile(kept('refused'), 'ETIMEDOUT')
      const { code, log } = await npm()
      expect(code).to.equal(1)
      expect(log).to.include('nothing was published')
      expect(await pushes()).to.deep.equal([])
    })
  })

  describe('what was published', () => {
    const pull = () => bash(`mkdir -p assets\n${script('pull')} 1.2.3 dormouse-1.2.3.tgz assets`)

    beforeEach(async () => {
      await image()
      await chart()
    })

    it('is pulled and verified without the login that published it', async () => {
      const { code, log } = await pull()
      expect(code, log).to.equal(0)
      expect(await readFile(join(cwd, 'assets/dormouse-1.2.3.tgz'), 'utf8')).to.equal('our chart')
      const verified = (await world.calls()).filter((call) => call.startsWith('gh attestation verify'))
      expect(verified).to.deep.equal(
        [IMAGE, 'ghcr.io/dormouse-dev/charts/dormouse:1.2.3'].map(
          (each) => `gh attestation verify oci://${each} --repo dormouse-dev/dormouse`,
        ),
      )
    })

    it('stops the release while it is private, and says what to do', async () => {
      await writeFile(kept('private'), '')
      const { code, log } = await pull()
      expect(code).to.equal(1)
      expect(log).to.include(`${IMAGE} cannot be pulled without a login`).and.include('make it public')
    })

    it('stops the release where it is of another version, or not the chart that was tried', async () => {
      await writeFile(join(cwd, 'dormouse-1.2.3.tgz'), 'another chart')
      const other = await pull()
      expect([other.code, other.log.includes('is not the chart that was tried')]).to.deep.equal([1, true])
      await writeFile(join(cwd, 'package.json'), '{ "version": "1.2.2" }')
      const older = await pull()
      expect([older.code, older.log.includes('says that its version is 1.2.2')]).to.deep.equal([1, true])
    })
  })

  describe('the draft of the release', () => {
    const draft = (tag: string) => bash(`${script('draft')} ${tag} assets`)

    beforeEach(async () => {
      await mkdir(join(cwd, '.github'))
      await writeFile(
        join(cwd, '.github/release.ts'),
        "if (process.argv[2] === 'v9.9.9') process.exitCode = 1\nelse console.log('notes')\n",
      )
      await mkdir(join(cwd, 'assets'))
      await writeFile(join(cwd, 'assets/dormouse.yaml'), 'krew')
    })

    it('has notes and files, and replaces one that a failed run has left', async () => {
      for (const name of ['dormouse.yaml', 'more.tar.gz']) {
        await writeFile(join(cwd, 'assets', name), name)
        const { code, log } = await draft('v1.2.3')
        expect(code, log).to.equal(0)
      }
      expect(await readFile(kept('release/notes'), 'utf8')).to.equal('notes\n')
      expect(await readFile(kept('release/more.tar.gz'), 'utf8')).to.equal('more.tar.gz')
      const made = (await world.calls()).find((call) => call.startsWith('gh release create'))
      expect(made).to.match(
        /^gh release create v1\.2\.3 --draft --verify-tag --title Dormouse 1\.2\.3 --notes-file \S+ assets\/dormouse\.yaml$/,
      )
    })

    it('of a rehearsal is a prerelease', async () => {
      await draft('v1.2.3-rc.1')
      expect((await world.calls()).at(-1)).to.include(' --prerelease ')
    })

    it('touches no release that is public, and is not made without notes', async () => {
      await draft('v1.2.3')
      await rm(kept('release/draft'))
      const again = await draft('v1.2.3')
      expect([again.code, again.log]).to.deep.equal([1, 'error: the release v1.2.3 is public already\n'])
      expect((await draft('v9.9.9')).code).to.equal(1)
      expect((await world.calls()).filter((call) => call.startsWith('gh release create'))).to.have.length(1)
    })
  })
})

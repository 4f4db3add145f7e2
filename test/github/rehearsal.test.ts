import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  contextsOf,
  LEFT_OUT,
  rehearse,
  variablesOf,
  type Rehearsal,
} from '../../.github/rehearsal/rehearsal.ts'
import { filledIn, nameOf, shellOf, workflowOf, type Workflow } from '../../.github/rehearsal/workflow.ts'
import { World, type Ended } from '../../.github/rehearsal/world.ts'
import { archiveOf, PLATFORMS } from '../../packaging/krew.ts'
import { PROJECT } from '../support/dormouse.ts'
import { describeWith, moreTime } from '../suite/need.ts'

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
const FILES = ['ci.yaml', 'release.yaml']

async function read(file: string): Promise<Workflow> {
  return workflowOf(await readFile(join(PROJECT, '.github/workflows', file), 'utf8'))
}

/** `release.yaml: image: Try it`, of all steps that run something. */
async function titlesOf(file: string): Promise<string[]> {
  const jobs = Object.entries((await read(file)).jobs)
  return jobs.flatMap(([id, { steps = [] }]) =>
    steps.filter(({ run }) => run).map((step) => `${file}: ${id}: ${nameOf(step)}`),
  )
}

describe('the steps of the workflows', () => {
  it('have a name of their own each, and are left out of the rehearsal with a reason alone', async () => {
    const titles = (await Promise.all(FILES.map(titlesOf))).flat()
    expect(titles).to.have.length(new Set(titles).size)
    expect(titles).to.include.members(Object.keys(LEFT_OUT))
    for (const reason of Object.values(LEFT_OUT)) expect(reason).to.match(/\w{3}/)
  })

  it("run by GitHub's own shell line: what names bash gets pipefail, what names nothing does not", () => {
    const job = { steps: [] }
    const bash = { run: { shell: 'bash' } }
    const strict = ['--noprofile', '--norc', '-eo', 'pipefail']
    expect(shellOf({ jobs: {} }, job, {})).to.deep.equal(['-e'])
    expect(shellOf({ jobs: {} }, job, { shell: 'bash' })).to.deep.equal(strict)
    expect(shellOf({ jobs: {} }, { ...job, defaults: bash }, {})).to.deep.equal(strict)
    expect(shellOf({ jobs: {}, defaults: bash }, job, {})).to.deep.equal(strict)
    expect(() => shellOf({ jobs: {} }, job, { shell: 'pwsh' })).to.throw('not known here: pwsh')
  })
})

describe('expressions', () => {
  const contexts = { matrix: { os: 'windows' }, env: { A: 'b' } }

  it('are filled in, and what names nothing is an error', () => {
    expect(filledIn("x${{ matrix.os == 'windows' && '.exe' || '' }}-${{ env.A }}", contexts)).to.equal(
      'x.exe-b',
    )
    expect(filledIn("x${{ matrix.os == 'linux' && '.exe' || '' }}", contexts)).to.equal('x')
    expect(() => filledIn('${{ env.B }}', contexts)).to.throw('nothing is env.B')
  })
})

describeWith(moreTime, 'a rehearsal of', function () {
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

describeWith(moreTime, 'a step of the release fails, and with it the release,', function () {
  this.timeout(PATIENCE)
  let world: World
  let workflow: Workflow
  let cwd: string

  before(async () => {
    world = await World.make()
    workflow = await read('release.yaml')
  })

  beforeEach(async () => {
    cwd = await world.checkout()
  })

  after(() => world.remove())

  /** Runs one step as in a release of 1.2.3, for Linux. */
  async function step(id: string, name: string): Promise<Ended> {
    const job = workflow.jobs[id]
    const found = job?.steps?.find((each) => nameOf(each) === name)
    if (!job || !found) throw new Error(`no step ${id}: ${name}`)
    const variables = variablesOf('v1.2.3')
    const outputs = { version: '1.2.3', node: '24.0.0' }
    const contexts = {
      ...contextsOf(variables),
      needs: { versions: { outputs }, image: { outputs: { node: 'none' } } },
      matrix: { os: 'linux', arch: 'amd64' },
      env: { VERSION: '1.2.3' },
      steps: {},
    }
    return world.step([workflow, job, found], contexts, cwd, { ...variables, ...(await world.home()) })
  }

  async function write(path: string, text: string): Promise<void> {
    await mkdir(join(cwd, path, '..'), { recursive: true })
    await writeFile(join(cwd, path), text)
    await chmod(join(cwd, path), 0o755)
  }

  const program = (version: string) => `#!/bin/sh\necho ${version}\n`

  it('where the tag is not the version of all files', async () => {
    const { code, log } = await step('versions', 'Compare them')
    expect([code, log.includes('and the tag v1.2.3 says 1.2.3')]).to.deep.equal([1, true])
  })

  it('where package.json names no Node', async () => {
    await write('package.json', '{}')
    expect((await step('versions', 'Read the versions')).code).to.equal(1)
  })

  it('where an executable does not start, or is of another version', async () => {
    await write('dist/executable/kubectl-dormouse', program('1.2.3'))
    expect((await step('executables', 'Start it')).code).to.equal(0)
    await write('dist/executable/kubectl-dormouse', program('1.2.2'))
    const older = await step('executables', 'Start it')
    expect([older.code, older.log]).to.deep.equal([1, '1c1\n< 1.2.3\n---\n> 1.2.2\n'])
    await write('dist/executable/kubectl-dormouse', '#!/bin/sh\nexit 139\n')
    expect((await step('executables', 'Start it')).code).to.equal(1)
  })

  it('where an archive would have no licences', async () => {
    await write('dist/executable/kubectl-dormouse', program('1.2.3'))
    await write('dist/executable/LICENSE', 'may be used')
    expect((await step('executables', 'Pack it')).code).to.be.above(0)
    await write('dist/executable/LICENSES.txt', 'of all')
    const packed = await step('executables', 'Pack it')
    expect(packed.code, packed.log).to.equal(0)
  })

  it("where the plugin's archive is of another version", async () => {
    await write('dist/headlamp-dormouse/package.json', '{ "version": "1.2.2" }')
    const archive = 'headlamp-dormouse-1.2.3.tar.gz'
    await world.run(`tar -czf ${archive} -C dist headlamp-dormouse`, ['-e'], cwd, {})
    expect((await step('headlamp', 'Try the archive')).code).to.equal(1)
  })

  it('where the chart is of another version', async () => {
    const { code, log } = await step('chart', 'Build, and try the archive')
    expect([code, log.includes("error: the chart's version is not 1.2.3")]).to.deep.equal([1, true])
  })

  it('where the npm package is of another version, or is no package', async () => {
    const none = await step('npm-package', 'Try it, installed into an empty folder')
    expect(none.code).to.be.above(0)
    await write('old/package.json', '{ "name": "kubectl-dormouse", "version": "1.2.2", "bin": "main.js" }')
    await write('old/main.js', "#!/usr/bin/env node\nconsole.log('1.2.2')\n")
    await world.run('npm pack ./old --silent && mv *-1.2.2.tgz kubectl-dormouse-1.2.3.tgz', ['-e'], cwd, {
      ...(await world.home()),
    })
    const older = await step('npm-package', 'Try it, installed into an empty folder')
    expect([older.code, older.log.includes('its version is 1.2.2, not 1.2.3')], older.log).to.deep.equal([
      1,
      true,
    ])
  })

  it('where the image is of another version', async () => {
    await write('image.tar', 'an index')
    const { code, log } = await step('image', 'Try it')
    expect([code, log.includes('its version is 0.1.0, not 1.2.3')], log).to.deep.equal([1, true])
  })

  it('where nobody knows the Node of the image', async () => {
    const { code, log } = await step('sbom', 'Make it')
    expect([code, log.includes('no version of Node: none')], log).to.deep.equal([1, true])
  })

  it('where an archive for krew is missing', async () => {
    await mkdir(join(cwd, 'archives'))
    expect((await step('krew', 'Build')).code).to.equal(1)
  })
})

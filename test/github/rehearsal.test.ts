import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { contextsOf, LEFT_OUT, variablesOf } from '../../.github/rehearsal/rehearsal.ts'
import { filledIn, nameOf, shellOf, type Workflow } from '../../.github/rehearsal/workflow.ts'
import { World, type Ended } from '../../.github/rehearsal/world.ts'
import { describeWith, moreTime } from '../suite/need.ts'
import { read, titlesOf } from './steps.ts'

const PATIENCE = 600_000
const FILES = ['ci.yaml', 'release.yaml']

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

import { execFile } from 'node:child_process'
import { access, constants, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { needsOf, workflowOf, type Job, type Workflow } from '../../.github/rehearsal/workflow.ts'
import { actionlint } from '../go-programs/go-program.ts'
import { zizmor } from '../python-programs/python-program.ts'
import { PROJECT } from '../support/dormouse.ts'
import { itWith } from '../suite/need.ts'

const FOLDER = join(PROJECT, '.github', 'workflows')

const STRICTLY = ['--offline', '--no-progress', '--quiet', '--persona', 'auditor', '--format', 'plain']

/** Commands with a word that is a path of the project, and the kind of that path. */
const PATHS = /(?<![\w/.$-])((?:\.ci|\.github|charts|docs|src|test|bench|dashboards|packaging)\/[\w./-]+)/g

describe('the workflows', () => {
  let texts: Map<string, string>
  let jobs: { readonly name: string; readonly job: Job; readonly workflow: Workflow }[]
  let commands: string[]

  before(async () => {
    const files = (await readdir(FOLDER)).toSorted()
    expect(files).to.deep.equal(['ci.yaml', 'release.yaml'])
    texts = new Map()
    for (const file of files) texts.set(file, await readFile(join(FOLDER, file), 'utf8'))
    jobs = [...texts].flatMap(([file, text]) => {
      const workflow = workflowOf(text)
      return Object.entries(workflow.jobs).map(([id, job]) => ({ name: `${file}: ${id}`, job, workflow }))
    })
    commands = jobs.flatMap(({ job }) => job.steps ?? []).flatMap(({ run }) => run ?? [])
  })

  itWith(actionlint, 'are faultless to actionlint', async (program) => {
    for (const [file, text] of texts) {
      const checking = promisify(execFile)(program, ['-no-color', '-stdin-filename', join(FOLDER, file), '-'])
      // It knows the inputs of actions by their major version, not by a commit.
      checking.child.stdin?.end(text.replaceAll(/@[0-9a-f]{40} # (v\d+)\.[\d.]+/g, '@$1'))
      await checking.catch(({ message, stdout = '' }: Error & { stdout?: string }) => {
        throw new Error(stdout || message)
      })
    }
  })

  itWith(
    zizmor,
    'have nothing that zizmor finds, at its strictest, but what is left with a reason',
    async (program) => {
      const { file, args, env } = program
      const checking = promisify(execFile)(file, [...args, ...STRICTLY, join(PROJECT, '.github')], { env })
      await checking.catch(({ message, stdout = '' }: Error & { stdout?: string }) => {
        throw new Error(stdout || message)
      })
      for (const text of texts.values())
        for (const [, reason = ''] of text.matchAll(/# zizmor: ignore\[[\w,-]+\](.*)/g))
          expect(reason, 'a reason beside what is ignored').to.match(/\w{3}/)
    },
  )

  it('build images by a builder and a scanner that are named by version and digest', () => {
    const building = jobs.filter(({ job }) => job.steps?.some(({ run = '' }) => run.includes('buildx build')))
    expect(building.map(({ name }) => name)).to.deep.equal(['ci.yaml: image', 'release.yaml: image'])
    for (const { name, job } of building) {
      const step = job.steps?.find(({ uses }) => uses?.startsWith('docker/setup-buildx-action@'))
      expect(step?.with?.['version'], `${name}: buildx`).to.match(/^v\d+\.\d+\.\d+$/)
      expect(step?.with?.['driver-opts'], name).to.match(
        /^image=moby\/buildkit:v\d+\.\d+\.\d+@sha256:[0-9a-f]{64}$/,
      )
      // Nothing that another run has put into the cache has a place in a build.
      expect(step?.with?.['cache-binary'], name).to.equal(false)
    }
    const scanners = commands.flatMap((command) => command.match(/--sbom\S+/g) ?? [])
    expect(scanners).to.have.length(1)
    expect(scanners[0]).to.match(
      /^--sbom=generator=docker\/buildkit-syft-scanner:\d+\.\d+\.\d+@sha256:[0-9a-f]{64}$/,
    )
  })

  it('sign what they publish, and verify it before it is announced', () => {
    const publishing = jobs.filter(({ job }) => job.permissions?.['packages'] === 'write')
    expect(publishing.map(({ name }) => name)).to.deep.equal([
      'release.yaml: publish-image',
      'release.yaml: publish-chart',
    ])
    for (const { name, job } of publishing) {
      const attesting = job.steps?.find(({ uses }) => uses?.startsWith('actions/attest@'))
      expect(attesting?.with, name).to.include({ 'push-to-registry': true })
      expect(attesting?.with?.['subject-digest'], name).to.match(/^\$\{\{ steps\.\w+\.outputs\.digest \}\}$/)
    }
    // A script pulls and verifies all that is published; its test is release-scripts.test.ts.
    const draft =
      jobs.find(({ name }) => name === 'release.yaml: draft')?.job.steps?.map(({ run = '' }) => run) ?? []
    const of = (word: string) => draft.findIndex((run) => run.includes(word))
    expect(of('.github/pull.sh')).to.be.within(0, of('.github/draft.sh') - 1)
    expect(of('gh attestation verify')).to.be.within(0, of('.github/draft.sh') - 1)
    expect(draft.join('\n')).not.to.include('login')
  })

  it('build and try everything before anything is published, where nothing can be written', () => {
    const release = new Map(
      jobs.flatMap(({ name, job }) =>
        name.startsWith('release.yaml: ') ? [[name.slice(14), job] as const] : [],
      ),
    )
    const waitsFor = (id: string): Set<string> => {
      const needs = needsOf(release.get(id) ?? {})
      return new Set([...needs, ...needs.flatMap((each) => [...waitsFor(each)])])
    }
    const publishing = ['publish-image', 'publish-chart', 'draft', 'npm', 'announce']
    const building = [...release.keys()].filter((id) => !publishing.includes(id))
    expect(building).to.include.members(['gate', 'oldest', 'packages', 'sbom', 'executables', 'npm-package'])
    for (const id of building) expect(release.get(id)?.permissions, id).to.deep.equal({ contents: 'read' })
    for (const [place, id] of publishing.entries())
      expect([...waitsFor(id)], id).to.have.members([...building, ...publishing.slice(0, place)])
    const runs = (id: string) =>
      release
        .get(id)
        ?.steps?.map(({ run }) => run ?? '')
        .join('\n')
    expect(runs('oldest')).to.include('npm run test:oldest')
    for (const script of ['audit', 'licences']) expect(runs('packages')).to.include(`npm run -s ${script}`)
    expect(runs('sbom')).to.include('npm run -s sbom')
    // Nothing is built again before it is published.
    for (const id of publishing) expect(runs(id), id).not.to.match(/npm (?:ci|pack|run)|build|packaging\//)
  })

  it('look at the dependencies of a pull request', () => {
    const reviewing = jobs.find(({ name }) => name === 'ci.yaml: dependencies')
    expect(
      reviewing?.job.steps?.some(({ uses }) => uses?.startsWith('actions/dependency-review-action@')),
    ).to.equal(true)
  })

  it('run only what the project has', async () => {
    expect(commands, 'the gate').to.satisfy((all: string[]) =>
      all.some((command) => command.includes('.ci/run')),
    )
    const { scripts } = JSON.parse(await readFile(join(PROJECT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>
    }
    for (const [, script = ''] of commands.join('\n').matchAll(/\bnpm run (?:-\S+ )*([\w:]+)/g))
      expect(scripts, 'the scripts of package.json').to.have.property(script)
    for (const [, path = ''] of commands.join('\n').matchAll(PATHS)) await access(join(PROJECT, path))
    for (const [program = ''] of commands.join('\n').matchAll(/(?<=^|\s)\.ci\/\S+/g))
      await access(join(PROJECT, program), constants.X_OK)
    for (const { job } of jobs) if (job.uses) await access(join(PROJECT, job.uses))
  })

  it('key their caches by files that there are', async () => {
    const all = [...texts.values()].join('\n')
    const hashed = all.matchAll(/hashFiles\(([^)]*)\)/g)
    const listed = all.matchAll(/cache-dependency-path: \|\n((?: {12}\S+\n)+)/g)
    const named = [...hashed, ...listed].flatMap(([, files = '']) => files.match(/[^', \n]+/g) ?? [])
    expect(named).to.have.length.above(4)
    for (const file of named) await access(join(PROJECT, file))
  })

  it('use the same Node as the image and the package', async () => {
    const { dependencies } = JSON.parse(await readFile(join(PROJECT, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>
    }
    const dockerfile = await readFile(join(PROJECT, 'Dockerfile'), 'utf8')
    const bases = [...dockerfile.matchAll(/^FROM .*\bnode:(\d+)-slim/gm)].map(([, major]) => major)
    // The executables are made of the very Node that package.json names.
    const ofExecutables = '${{ needs.versions.outputs.node }}'
    const named = jobs
      // The README's command, which is to work whatever Node is on the path.
      .filter(({ name }) => name !== 'ci.yaml: stranger')
      .flatMap(({ job }) => job.steps ?? [])
      .flatMap(({ with: inputs }) => inputs?.['node-version'] ?? [])
      .filter((version) => version !== ofExecutables)
    expect(bases).to.have.length(2)
    expect(new Set([...bases, ...named].map(String))).to.deep.equal(
      new Set([dependencies['node']?.split('.')[0]]),
    )
  })

  it('name every action by its commit, with the version that it is beside it', () => {
    for (const [file, text] of texts) {
      const foreign = (text.match(/uses: .*/g) ?? []).filter((line) => !line.startsWith('uses: ./'))
      expect(foreign, file).not.to.deep.equal([])
      for (const line of foreign)
        expect(line, file).to.match(/^uses: (?:actions|docker)\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
    }
  })

  it('may do the least: a job that writes says so itself, none keeps the token, and each has its end', () => {
    for (const { name, job, workflow } of jobs) {
      expect(Object.values(workflow.permissions ?? { all: 'write' }), name).not.to.include('write')
      if (job.uses) continue
      expect(job['timeout-minutes'], `${name}: minutes`).to.be.within(1, 60)
      for (const { uses, with: inputs } of job.steps ?? [])
        if (uses?.startsWith('actions/checkout@'))
          expect(inputs, name).to.include({ 'persist-credentials': false })
    }
    const writing = jobs.flatMap(({ name, job }) =>
      Object.entries(job.permissions ?? {}).flatMap(([what, may]) =>
        may === 'write' ? `${name} ${what}` : [],
      ),
    )
    expect(writing).to.deep.equal([
      'release.yaml: publish-image packages',
      'release.yaml: publish-image id-token',
      'release.yaml: publish-image attestations',
      'release.yaml: publish-chart packages',
      'release.yaml: publish-chart id-token',
      'release.yaml: publish-chart attestations',
      'release.yaml: draft contents',
      'release.yaml: draft id-token',
      'release.yaml: draft attestations',
      'release.yaml: npm id-token',
      'release.yaml: announce contents',
    ])
  })
})

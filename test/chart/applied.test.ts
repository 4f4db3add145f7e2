import { randomBytes } from 'node:crypto'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { parseAllDocuments } from 'yaml'
import { versions } from '../control-plane/programs.ts'
import { helm } from '../go-programs/go-program.ts'
import { describeOnWith } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import type { KubectlResult } from '../support/kubectl.ts'
import { manifest } from '../support/manifests.ts'
import { beside, type Beside, type Pod } from './beside.ts'
import { CHART, helmIn, type Manifest } from './helm.ts'

/** Nothing that a cluster has only one of. */
const VALUES = {
  config: { webhook: { enabled: false } },
  publish: { enabled: false },
  rbac: { aggregate: false },
}
const UNCONDITIONAL = { ...VALUES, release: { unconditional: true } }
const MARKS = {
  annotations: { 'dormouse.dev/enabled': 'true', 'dormouse.dev/schedule': '8:00-18:00' },
  labels: { 'dormouse.dev/asleep': '3' },
}
const VERSIONS = ['0.0.1', '0.0.2']
const SELECTED = ['--selector', 'app.kubernetes.io/component=release']
const EVERY_NODE = ['--selector', 'kubernetes.io/os=linux']

interface Job extends Manifest {
  readonly spec: { readonly template: { readonly spec: Pod['spec'] } }
}

describeOnWith(helm, 'the Job before uninstalling', function (on, helmProgram) {
  this.timeout(180_000)
  const suffix = randomBytes(4).toString('hex')
  const namespace = `applied-${suffix}`
  const shop = `${namespace}-shop`
  const release = { name: namespace, namespace }
  const { run, attempt } = helmIn(helmProgram, () => on().adminKubeconfig)
  let folder = ''
  let program: Beside

  /** Its count, and what is of Dormouse. */
  const sleeper = async () => {
    const { metadata, spec } = await on().kubectl.json('get', 'deployment', 'web', '-n', shop)
    const marks = Object.entries({ ...metadata.annotations, ...metadata.labels })
    const ours = marks.filter(([name]) => name.startsWith('dormouse.dev/'))
    return { ...Object.fromEntries(ours), replicas: spec.replicas }
  }
  const asleep = { ...MARKS.annotations, ...MARKS.labels, replicas: 0 }

  before('two versions of the chart', async () => {
    folder = await mkdtemp(join(tmpdir(), 'dormouse-applied-'))
    for (const version of VERSIONS) {
      await mkdir(join(folder, version))
      await cp(CHART, join(folder, version, 'dormouse'), { recursive: true })
      const file = join(folder, version, 'dormouse', 'Chart.yaml')
      const text = await readFile(file, 'utf8')
      await writeFile(file, text.replace(/^(version|appVersion): .*$/gm, `$1: ${version}`))
    }
    for (const name of [namespace, shop])
      await on().admin.expect('POST', '/api/v1/namespaces', { metadata: { name } })
    program = await beside(on, release)
  })

  beforeEach('a workload sleeps', async () => {
    await on().create(shop, [manifest('deployments', 'web', { replicas: 0, ...MARKS })])
  })

  afterEach(async () => {
    await on().kubectl.attempt(['uncordon', ...EVERY_NODE])
    await attempt(['uninstall', release.name, '-n', namespace, '--no-hooks'])
    await on().kubectl('delete', 'jobs', '--all', '-n', namespace)
    await on().kubectl('delete', 'deployment', 'web', '-n', shop)
    const objects = await rendered('0.0.1', VALUES, '--no-hooks')
    await on().kubectl.attempt(['delete', '--ignore-not-found', '-f', '-'], objects)
  })

  after(async () => {
    await program.remove()
    await rm(folder, { recursive: true, force: true })
    for (const name of [namespace, shop]) await on().admin.expect('DELETE', `/api/v1/namespaces/${name}`)
  })

  const chart = (version: string) => join(folder, version, 'dormouse')
  const rendered = (version: string, values: object = VALUES, ...more: string[]) =>
    run(
      [
        'template',
        release.name,
        chart(version),
        '-n',
        namespace,
        '--kube-version',
        versions.kubernetes,
        ...more,
      ],
      values as Record<string, unknown>,
    )
  const kustomized = async (version: string) => {
    const directory = join(folder, version)
    const helmCharts = [
      {
        name: 'dormouse',
        releaseName: release.name,
        namespace,
        kubeVersion: versions.kubernetes,
        valuesInline: VALUES,
      },
    ]
    const file = { helmGlobals: { chartHome: directory }, helmCharts }
    await writeFile(join(directory, 'kustomization.yaml'), JSON.stringify(file))
    return on().kubectl('kustomize', '--enable-helm', '--helm-command', helmProgram, directory)
  }
  const apply = async (objects: string, ...more: string[]) => {
    const { code, stderr } = await on().kubectl.attempt(['apply', ...more, '-f', '-'], objects)
    expect(code, stderr).to.equal(0)
  }
  /** Creates the Job of a rendered chart by a POST, as a program of this name does. */
  const create = async (objects: string, manager: string) => {
    const job = parseAllDocuments(objects)
      .map((document) => document.toJS() as Job)
      .find(({ kind }) => kind === 'Job')
    const path = `/apis/batch/v1/namespaces/${namespace}/jobs?fieldManager=${manager}`
    await on().admin.expect('POST', path, job)
  }
  const jobs = async () => {
    const all = ['get', 'jobs', '-n', namespace, ...SELECTED]
    return (await on().kubectl.json<{ items: Job[] }>(...all)).items
  }
  /** Runs what the pod of the one Job would run that was not seen before. */
  const carriedOut = async (seen = new Set<string>()): Promise<KubectlResult> => {
    const [job, ...others] = (await jobs()).filter(({ metadata }) => !seen.has(metadata.name))
    expect(others, 'other Jobs').to.deep.equal([])
    if (!job) throw new Error('there is no Job')
    seen.add(job.metadata.name)
    return program.run(job.spec.template.spec)
  }
  const expectNothing = async (by: string, seen: Set<string>) => {
    const { code, stdout, stderr } = await carriedOut(seen)
    expect(code, stderr).to.equal(0)
    expect(stdout).to.include('nothing was changed').and.to.include(`${by} applied the Job`)
    expect(stdout).to.include('release.unconditional=true')
    expect(await sleeper()).to.deep.equal(asleep)
  }
  /** One version after the other, with the Job of the first still there. */
  const twice = async (
    render: (version: string) => Promise<string>,
    by: string,
    options: readonly string[],
  ) => {
    const seen = new Set<string>()
    for (const version of VERSIONS) {
      await apply(await render(version), ...options)
      await expectNothing(by, seen)
    }
    expect(seen.size).to.equal(VERSIONS.length)
  }
  const expectRefusal = async (why: string) => {
    const { code, stdout, stderr } = await carriedOut()
    expect(code, stdout).to.equal(1)
    expect(stderr).to.include('nothing was changed').and.to.include(why)
    expect(await sleeper()).to.deep.equal(asleep)
  }
  const expectReleased = async () => {
    const { code, stderr } = await carriedOut()
    expect(code, stderr).to.equal(0)
    expect(await sleeper()).to.deep.equal({ replicas: 3 })
  }

  for (const [road, render, options, by] of [
    ['helm template | kubectl apply', rendered, [], 'kubectl or a program like it'],
    ['helm template | kubectl apply --server-side', rendered, ['--server-side'], 'kubectl'],
    ['helmCharts of kustomize', kustomized, [], 'kubectl or a program like it'],
    [
      'kustomize-controller of Flux, of rendered manifests',
      rendered,
      ['--server-side', '--force-conflicts', '--field-manager=kustomize-controller'],
      'kustomize-controller',
    ],
  ] as const)
    it(`does nothing, and ends well, by ${road}; the next version of the chart is applied, too`, async () => {
      await twice(render, by, options)
    })

  for (const options of [[], ['--server-side', '--force-conflicts']])
    it(`does nothing where it is applied over a release of Helm (kubectl apply ${options.join(' ')})`, async () => {
      await run(['install', release.name, chart('0.0.1'), '-n', namespace], VALUES)
      await twice(rendered, options.length > 0 ? 'kubectl' : 'kubectl or a program like it', options)
    })

  it('wakes everything where Helm uninstalls, after an upgrade and a rollback, too', async () => {
    const [first = '', second = ''] = VERSIONS
    await run(['install', release.name, chart(first), '-n', namespace], VALUES)
    await run(['upgrade', release.name, chart(second), '-n', namespace], VALUES)
    await run(['rollback', release.name, '1', '-n', namespace])
    // Otherwise kwok would complete the Job's pod before it has done anything.
    await on().kubectl('cordon', ...EVERY_NODE)
    const uninstalled = attempt(['uninstall', release.name, '-n', namespace, '--timeout', '50s'])
    await eventually('the Job', async () => (await jobs()).length === 1)
    await expectReleased()
    await on().kubectl('uncordon', ...EVERY_NODE)
    const { stdout, stderr } = await uninstalled
    expect(stdout, stderr).to.include('uninstalled')
  })

  it('wakes everything where Helm 4 uninstalls, which applies its hooks on the server', async () => {
    await run(['install', release.name, chart('0.0.1'), '-n', namespace], VALUES)
    const hooks = await run(['get', 'hooks', release.name, '-n', namespace])
    await apply(hooks, '--server-side', '--field-manager=helm')
    await expectReleased()
  })

  it('fails where nobody knows whether that is an uninstall, so that nothing is removed with workloads asleep', async () => {
    await apply(await rendered('0.0.1', VALUES, '--no-hooks'))
    expect(await jobs()).to.deep.equal([])
    await create(await rendered('0.0.1'), 'argocd-application-controller')
    await expectRefusal('argocd-application-controller created the Job')
  })

  it('fails where a person creates it without the explicit word', async () => {
    await run(['install', release.name, chart('0.0.1'), '-n', namespace], VALUES)
    await create(await rendered('0.0.1'), 'kubectl-create')
    await expectRefusal('kubectl-create created the Job')
  })

  it('wakes everything where the explicit word says so, whoever creates it', async () => {
    await apply(await rendered('0.0.1', UNCONDITIONAL, '--no-hooks'))
    await create(await rendered('0.0.1', UNCONDITIONAL), 'argocd-application-controller')
    await expectReleased()
  })
})

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { generated } from '../../charts/generate.ts'
import { loadConfig } from '../../src/service/config/config.ts'
import { runProgram } from '../support/kubectl.ts'
import { CHART, DOCUMENTED, helmIn, helmFolders, only, type Manifest } from './helm.ts'
import { MATRIX } from './matrix.ts'
import { helm, helmUnittest } from '../go-programs/go-program.ts'
import { describeWith, itWith } from '../suite/need.ts'

describeWith(helm, 'the chart, rendered', function (program) {
  this.timeout(180_000)
  const { template } = helmIn(program)
  const rendered = new Map<string, Manifest[]>()

  before(async () => {
    for (const [name, values] of Object.entries(MATRIX)) rendered.set(name, await template(values))
  })

  itWith(helmUnittest, 'passes its helm-unittest suites', async (untt) => {
    const directory = await mkdtemp(join(tmpdir(), 'dormouse-untt-'))
    const env = { ...process.env, ...helmFolders(directory) }
    const { code, stdout, stderr } = await runProgram(untt, ['--strict', CHART], { env })
    await rm(directory, { recursive: true, force: true })
    expect(code, `${stdout}${stderr}`).to.equal(0)
    expect(stdout).to.match(/Tests: +[1-9][0-9]* passed/)
  })

  it('has its schema and its README in step with the configuration and values.yaml', async () => {
    for (const [path, text] of await generated())
      expect(await readFile(path, 'utf8'), `${basename(path)}: run npm run chart`).to.equal(text)
  })

  it('gives the Job before uninstalling another name with other values: its pod cannot be changed', async () => {
    const names = new Set<string>()
    for (const values of [{}, { image: { tag: '9.9.9' } }, { podLabels: { team: 'a' } }])
      names.add(only(await template(values), 'Job').metadata.name)
    expect(names).to.have.property('size', 3)
  })

  it('has a default for each value that its schema knows', async () => {
    const text = (name: string) => readFile(join(CHART, name), 'utf8')
    const { properties } = JSON.parse(await text('values.schema.json')) as { properties: object }
    const known = Object.keys(properties).filter((name) => name !== 'global')
    expect(Object.keys(parse(await text('values.yaml')) as object)).to.have.members(known)
  })

  it('keeps a name that looks like a number text, wherever it stands', async () => {
    const name = '1e3'
    const values = {
      fullnameOverride: name,
      nameOverride: name,
      serviceAccount: { name },
      priorityClassName: name,
      config: { webhook: { certificates: { secret: name } }, controller: { lease: { name } } },
      ingress: { enabled: true, className: name, hosts: [{ host: name }] },
    }
    for (const given of [values, { ...values, config: CERT_MANAGER }, {}])
      for (const object of await template(given, { name, namespace: name }))
        expect(notText(object)).to.deep.equal([])
  })

  for (const [name, values] of Object.entries(MATRIX)) {
    describe(`with ${name}`, () => {
      const objects = () => rendered.get(name) ?? []
      const config = () => {
        const map = objects().find(({ kind, data }) => kind === 'ConfigMap' && data?.['config.yaml'])
        return loadConfig({ text: map?.data?.['config.yaml'], environment: {} })
      }

      it('puts the recommended labels on everything', () => {
        for (const { kind, metadata } of objects()) {
          const labels = metadata.labels ?? {}
          const wanted = ['name', 'instance', 'version', 'part-of', 'managed-by'].map(
            (label) => `app.kubernetes.io/${label}`,
          )
          expect(labels, `${kind} ${metadata.name}`).to.include.all.keys(...wanted, 'helm.sh/chart')
          expect(labels).to.include({
            'app.kubernetes.io/instance': 'dormouse',
            'app.kubernetes.io/managed-by': 'Helm',
          })
        }
      })

      it('makes each object once, and says where what has a namespace is', () => {
        const names = objects().map(
          ({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`,
        )
        expect(new Set(names).size, names.join('\n')).to.equal(names.length)
        for (const { kind, metadata } of objects())
          expect(metadata.namespace === undefined, kind).to.equal(CLUSTER_SCOPED.includes(kind))
      })

      it('tells the Job before uninstalling its own name, and lets it read that Job alone', () => {
        const job = objects().find(({ kind }) => kind === 'Job')
        const role = objects().find(
          ({ kind, metadata }) => kind === 'Role' && metadata.name.endsWith('-release'),
        )
        const { release = {} } = values as { release?: { enabled?: boolean; unconditional?: boolean } }
        expect(job !== undefined).to.equal(release.enabled !== false)
        if (!job || release.unconditional === true) return
        const { name, namespace } = job.metadata
        expect(JSON.stringify(job)).to.include(`"--only-in-uninstall","${namespace}/${name}"`)
        if (role) expect(role).to.have.nested.property('rules[0].resourceNames[0]', name)
      })

      it('writes no secret into any of them', () => {
        for (const { kind, data, ...rest } of objects()) {
          if (kind === 'Secret')
            expect({ ...rest, data })
              .to.deep.equal({ ...rest, data: undefined, type: 'Opaque' })
              .and.to.not.have.property('stringData')
          expect(JSON.stringify({ data, ...rest })).to.not.match(/PRIVATE KEY|BEGIN CERTIFICATE|password/i)
        }
      })

      it('writes a configuration that the program takes', () => {
        const { excludeNamespaces, webhook } = config()
        expect(excludeNamespaces).to.include(DOCUMENTED.namespace)
        const { ports } = only(objects(), 'Service', webhook.service)['spec'] as ServiceSpec
        expect(ports[0]).to.include({ port: 443, name: 'https' })
        const reviews = ports.filter(({ name }) => name === 'webhook').map(({ port }) => port)
        expect(reviews).to.deep.equal(webhook.enabled ? [9443] : [])
      })

      it('gives wakers a configuration that the program takes, and that says nothing of policies and logins', () => {
        const map = objects().find(({ data }) => data?.['waker.yaml'])
        expect(map !== undefined).to.equal(config().waker.enabled)
        if (!map) return
        const text = map.data?.['waker.yaml'] ?? ''
        const own = loadConfig({ text, environment: {} })
        const { service, account, owner, ports, enabled } = config().waker
        expect(own.waker).to.deep.include({ service, account, owner, ports, enabled })
        expect(own.waker.knock.url).to.match(/^https:\/\/[^/]+\.svc$/)
        expect(own.metrics.port).to.equal(config().metrics.port)
        expect(Object.keys(parse(text) as object)).to.have.members(['metrics', 'waker'])
      })

      it('has the metrics at one Service, and lets out of the cluster the API alone, encrypted', () => {
        const services = objects().filter(({ kind }) => kind === 'Service')
        const specs = services.map(({ spec }) => spec as ServiceSpec)
        const named = (name: string) =>
          specs.flatMap(({ ports }) => ports.filter((port) => port.name === name))
        // The wakers have a Service of their own.
        expect(named('metrics')).to.have.length(config().waker.enabled ? 2 : 1)
        for (const { type, ports } of specs)
          if (type !== 'ClusterIP') expect(ports.map(({ name }) => name)).to.deep.equal(['https'])
      })

      it('renders a configuration without webhooks, which a sync would else put back over what the leader writes', () => {
        if (!config().webhook.enabled) {
          expect(objects().map(({ kind }) => kind)).to.not.include('MutatingWebhookConfiguration')
          return
        }
        const configuration = only(objects(), 'MutatingWebhookConfiguration')
        expect(configuration.metadata.name).to.equal('dormouse')
        expect(configuration).to.not.have.property('webhooks')
      })
    })
  }
})

const CERT_MANAGER = { webhook: { certificates: { mode: 'cert-manager' } } }

/** The names and labels in there that are no text. */
function notText(value: unknown, path = '', name = false): string[] {
  if (typeof value !== 'object' || value === null)
    return name && typeof value !== 'string' ? [`${path}: ${String(value)}`] : []
  return Object.entries(value).flatMap(([key, item]) => {
    const named = Array.isArray(value) ? name : /[nN]ames?$|^(?:matchL|l)abels$|^image$/.test(key)
    return notText(item, `${path}.${key}`, named || /[lL]abels\S*$/.test(path))
  })
}

const CLUSTER_SCOPED = [
  'ClusterRole',
  'ClusterRoleBinding',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
]

interface ServiceSpec {
  readonly type: string
  readonly ports: readonly { readonly name: string; readonly port: number; readonly appProtocol: string }[]
}

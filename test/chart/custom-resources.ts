import { join } from 'node:path'
import { downloadModule, hasGo } from '../go-programs/go-module.ts'
import type { Cluster } from '../support/cluster.ts'
import { definitionOf } from '../support/custom-kinds.ts'

/** A Go module with definitions of custom resources, in files `<group>_<plural>.yaml` below `folder`. */
const SOURCES = [
  {
    module: 'github.com/cert-manager/cert-manager',
    version: 'v1.21.2',
    folder: 'deploy/crds',
    group: 'cert-manager.io',
    kinds: { certificates: 'Certificate', issuers: 'Issuer' },
  },
  {
    module: 'github.com/prometheus-operator/prometheus-operator',
    version: 'v0.85.0',
    folder: 'example/prometheus-operator-crd',
    group: 'monitoring.coreos.com',
    kinds: { servicemonitors: 'ServiceMonitor', prometheusrules: 'PrometheusRule' },
  },
  {
    module: 'sigs.k8s.io/gateway-api',
    version: 'v1.3.0',
    folder: 'config/crd/standard',
    group: 'gateway.networking.k8s.io',
    kinds: { httproutes: 'HTTPRoute' },
  },
] as const

type Source = (typeof SOURCES)[number]

/**
 * Installs, for the suite, the custom resources that the chart uses but does not define: from their own Go
 * modules, or, without `go`, stand-ins that accept anything.
 */
export function customResources(on: () => Cluster): void {
  before('their definitions are there', async function () {
    this.timeout(120_000)
    for (const source of SOURCES) await define(on(), source)
    await on().kubectl('wait', '--for=condition=Established', ...names(), '--timeout=30s')
  })

  after('and go again', async function () {
    this.timeout(180_000)
    await on().kubectl('delete', ...names(), '--ignore-not-found')
  })
}

async function define({ kubectl }: Cluster, source: Source): Promise<void> {
  const { module, version, folder, group, kinds } = source
  if (await hasGo()) {
    const { directory } = await downloadModule(module, version)
    const files = Object.keys(kinds).map((plural) => join(directory, folder, `${group}_${plural}.yaml`))
    await kubectl('create', ...files.flatMap((file) => ['-f', file]))
    return
  }
  process.stderr.write(`no \`go\` on the path: ${group} is stood in for by definitions that take anything\n`)
  const { code, stderr } = await kubectl.withFile('create', standIns(source))
  if (code !== 0) throw new Error(stderr)
}

function names(): string[] {
  return SOURCES.flatMap(({ group, kinds }) => Object.keys(kinds).map((plural) => `crd/${plural}.${group}`))
}

function standIns({ group, kinds }: Source): object[] {
  return Object.entries(kinds).map(([plural, kind]) => definitionOf({ group, plural, kind }))
}

import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { builtOnce } from '../go-programs/built-once.ts'
import { downloadModule } from '../go-programs/go-module.ts'
import type { Cluster } from '../support/cluster.ts'
import type { Need } from '../suite/need.ts'

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

/** The definitions' files; suites get their paths. */
export const definitions: Need<readonly string[]> = builtOnce(
  {
    title: "others' definitions",
    key: `definitions-${SOURCES.map(({ group, version }) => `${group}-${version}`).join('-')}`,
    programs: [],
    beside: SOURCES.flatMap(filesOf),
    takes: 'ten seconds',
    async build(into) {
      for (const source of SOURCES) {
        const { directory } = await downloadModule(source.module, source.version)
        await mkdir(into, { recursive: true })
        for (const file of filesOf(source))
          await copyFile(join(directory, source.folder, file), join(into, file))
      }
    },
  },
  (folder) => SOURCES.flatMap(filesOf).map((file) => join(folder, file)),
)

function filesOf({ group, kinds }: Source): string[] {
  return Object.keys(kinds).map((plural) => `${group}_${plural}.yaml`)
}

/** Installs, for the suite, the custom resources that the chart uses but does not define. */
export function customResources(on: () => Cluster, files: readonly string[]): void {
  before('their definitions are there', async function () {
    this.timeout(120_000)
    await on().kubectl('create', ...files.flatMap((file) => ['-f', file]))
    await on().kubectl('wait', '--for=condition=Established', ...names(), '--timeout=30s')
  })

  after('and go again', async function () {
    this.timeout(180_000)
    await on().kubectl('delete', ...names(), '--ignore-not-found')
  })
}

function names(): string[] {
  return SOURCES.flatMap(({ group, kinds }) => Object.keys(kinds).map((plural) => `crd/${plural}.${group}`))
}

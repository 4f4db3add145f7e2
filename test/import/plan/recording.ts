import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'
import { configurationOf } from '../../../src/import/plan/configuration.ts'
import { InForce } from '../../../src/import/plan/in-force.ts'
import type { Left } from '../../../src/import/plan/downscaler-plan.ts'
import type { ImportedObject } from '../../../src/import/plan/imported-object.ts'
import { programOf } from '../../../src/import/plan/program.ts'

/** Tools that were recorded on a real control plane while the workloads that they manage were asleep. */
export const TOOLS = [
  'py-kube-downscaler',
  'gokubedownscaler',
  'gokubedownscaler-main',
  'kube-green',
] as const
export type Tool = (typeof TOOLS)[number]

/** One workload before the tool, and now. */
export interface Expected {
  readonly namespace: string
  readonly kind: string
  readonly name: string
  readonly original: { readonly replicas?: number; readonly suspend?: boolean } | null
  readonly found: { readonly replicas?: number; readonly suspend?: boolean } | null
  readonly asleep: boolean
  /** The tool had overwritten the count before the recording. */
  readonly lost?: boolean
  readonly note?: string
}

/** When they were recorded: a Sunday night. */
export const RECORDED = Date.parse('2026-11-22T01:07:00Z')

function read(tool: Tool, file: string): string {
  return readFileSync(join(import.meta.dirname, 'recordings', tool, file), 'utf8')
}

export function expectedOf(tool: Tool): Expected[] {
  return parse(read(tool, 'expected.yaml'))
}

/** All objects of the recording, the tool's own Deployment included. */
export function objectsOf(tool: Tool): ImportedObject[] {
  const objects = parseAllDocuments(read(tool, 'left.yaml')).map((each) => each.toJS())
  return tool === 'gokubedownscaler-main' ? [...MAIN, ...objects] : objects
}

/** A downscaler's traces, with its program's settings. */
export function leftBy(tool: Exclude<Tool, 'kube-green'>): Left {
  const found = objectsOf(tool)
  const own = found.find(
    ({ kind, metadata }) => kind === 'Deployment' && metadata.namespace === metadata.name,
  )
  const config = found.find(({ kind }) => kind === 'ConfigMap')
  const [container] = containersOf(own)
  const dialect = tool === 'py-kube-downscaler' ? 'py' : 'go'
  return {
    dialect,
    program: programOf(container?.args ?? [], config?.data ?? {}, dialect),
    home: own?.metadata.namespace,
    namespaces: found.filter(({ kind }) => kind === 'Namespace'),
    objects: found.filter(({ kind }) => !['Namespace', 'ConfigMap'].includes(kind)),
  }
}

/** The settings in force once what an import prints of it is the configuration. */
export function forceOf(left: Left): InForce {
  return new InForce(undefined, left.namespaces).with(configurationOf(left, RECORDED))
}

/** The program as it was started for the short run of GoKubeDownscaler's main; its own objects are not recorded. */
const OWN = { name: 'go14-downscaler', namespace: 'go14-downscaler' }
const MAIN: readonly ImportedObject[] = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: OWN.namespace } },
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: OWN,
    data: { DEFAULT_TIMEZONE: 'Europe/Berlin', DEFAULT_WEEKFRAME: 'Mon-Fri' },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: OWN,
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: OWN.name } },
      template: {
        metadata: { labels: { app: OWN.name } },
        spec: {
          containers: [
            {
              name: 'gokubedownscaler',
              image: 'ghcr.io/caas-team/gokubedownscaler:main',
              args: [
                '--include-resources=deployments,daemonsets,cronjobs,poddisruptionbudgets,ingresses,services',
                '--default-uptime=Mon-Fri 08:00-20:00 Europe/Berlin',
                '--grace-period=5s',
              ],
              envFrom: [{ configMapRef: { name: OWN.name } }],
            },
          ],
        },
      },
    },
  },
]

function containersOf(object: ImportedObject | undefined): readonly { readonly args?: readonly string[] }[] {
  return object?.spec?.template?.spec?.containers ?? []
}

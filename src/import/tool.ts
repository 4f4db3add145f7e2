import type { EnvironmentSource, ImportedContainer, ImportedObject } from './plan/imported-object.ts'
import { programOf, type Program } from './plan/program.ts'
import type { Dialect } from './plan/spans.ts'
import { UsageError } from '../process/errors.ts'
import type { ClusterObjects } from '../client/ports.ts'
import { pathOf } from './resources.ts'

/** The tools that wake what is visited. */
const OF_VISITS = ['sablier', 'kubeelasti'] as const
/** The other tools, as `--from` names them; `downscaler`: whichever of the two runs. */
export const TOOLS = [
  'downscaler',
  'py-kube-downscaler',
  'gokubedownscaler',
  'kube-green',
  ...OF_VISITS,
] as const
export type Tool = (typeof TOOLS)[number]
type OfVisits = (typeof OF_VISITS)[number]
export type Downscaler = Exclude<Tool, 'kube-green' | OfVisits>

export function isOfVisits(tool: Tool): tool is OfVisits {
  return OF_VISITS.some((each) => each === tool)
}

/** A mirror may have the organisation in the image's name: `mirror/caas-team-gokubedownscaler`. */
const IMAGES: Readonly<Record<Exclude<Tool, 'downscaler'>, RegExp>> = {
  gokubedownscaler: /(?:^|[/_.-])gokubedownscaler(?:[:@]|$)/i,
  'py-kube-downscaler': /(?:^|[/_.-])kube-downscaler(?:[:@]|$)/i,
  'kube-green': /(?:^|[/_.-])kube-green(?:[:@]|$)/i,
  sablier: /(?:^|[/_.-])sablier(?:[:@]|$)/i,
  kubeelasti: /(?:^|[/_.-])elasti-operator(?:[:@]|$)/i,
}

/** A Deployment of the cluster that runs a tool, or a CronJob that runs it `--once`. */
export interface Running {
  readonly tool: Exclude<Tool, 'downscaler'>
  readonly object: ImportedObject
}

export function toolsAmong(objects: readonly ImportedObject[]): Running[] {
  return objects
    .filter(({ kind }) => kind === 'Deployment' || kind === 'CronJob')
    .flatMap((object) => {
      const images = containersOf(object).map(({ image = '' }) => image)
      const tool = (Object.keys(IMAGES) as (keyof typeof IMAGES)[]).find((each) =>
        images.some((image) => IMAGES[each].test(image)),
      )
      return tool === undefined ? [] : [{ tool, object }]
    })
}

/** The downscaler that is meant, and its settings. @throws UsageError if that is ambiguous */
export async function downscalerAmong(
  running: readonly Running[],
  from: Downscaler,
  cluster: ClusterObjects,
): Promise<{ dialect: Dialect; program: Program; home?: string | undefined }> {
  const meant = running.filter((each) => isMeant(each, from))
  const [first, second] = meant
  if (second && first?.tool !== second.tool)
    throw new UsageError(
      'both downscalers are here: say which, by --from gokubedownscaler or py-kube-downscaler',
    )
  if (first) {
    const dialect = first.tool === 'gokubedownscaler' ? 'go' : 'py'
    const program = await programSettings(first.object, dialect, cluster)
    return { dialect, program, home: first.object.metadata.namespace }
  }
  if (from === 'downscaler')
    throw new UsageError(
      'no Deployment or CronJob of a downscaler is found: say which it was, by --from gokubedownscaler or py-kube-downscaler',
    )
  const dialect = from === 'gokubedownscaler' ? 'go' : 'py'
  return { dialect, program: programOf([], {}, dialect) }
}

/** Whether `--from` names it. */
export function isMeant({ tool }: Running, from: Tool): boolean {
  return tool === from || (from === 'downscaler' && tool.endsWith('downscaler'))
}

/** From its arguments, its environment and the ConfigMaps and Secrets that this is taken from, as a kubelet does. */
async function programSettings(
  object: ImportedObject,
  dialect: Dialect,
  cluster: ClusterObjects,
): Promise<Program> {
  const { namespace = '' } = object.metadata
  const env: Record<string, string> = {}
  const args: string[] = []
  for (const container of containersOf(object)) {
    for (const source of container.envFrom ?? [])
      for (const [name, value] of Object.entries(await dataOf(source, namespace, cluster)))
        env[`${source.prefix ?? ''}${name}`] = value
    for (const { name, value, valueFrom } of container.env ?? []) {
      const { configMapKeyRef, secretKeyRef } = valueFrom ?? {}
      const key = configMapKeyRef?.key ?? secretKeyRef?.key
      const data = await dataOf(
        { configMapRef: configMapKeyRef, secretRef: secretKeyRef },
        namespace,
        cluster,
      )
      const found = key === undefined ? value : data[key]
      if (found !== undefined) env[name] = found
    }
    const words = [...(container.command ?? []), ...(container.args ?? [])]
    args.push(...words.map((word) => word.replaceAll(VARIABLE, (text, name: string) => env[name] ?? text)))
  }
  return programOf(args, env, dialect)
}

const VARIABLE = /\$\(([A-Za-z_][\w.-]*)\)/g

/** @throws Refusal FORBIDDEN: without its settings nothing can be planned */
async function dataOf(
  { configMapRef, secretRef }: EnvironmentSource,
  namespace: string,
  cluster: ClusterObjects,
): Promise<Readonly<Record<string, string>>> {
  const { name } = configMapRef ?? secretRef ?? {}
  if (name === undefined) return {}
  const kind = configMapRef ? 'ConfigMap' : 'Secret'
  const path = pathOf({ apiVersion: 'v1', kind, metadata: { namespace, name } })
  const { data = {} } = (await cluster.get<ImportedObject>(path)) ?? {}
  if (configMapRef) return data
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
  )
}

function containersOf({ spec }: ImportedObject): readonly ImportedContainer[] {
  return (spec?.jobTemplate?.spec ?? spec)?.template?.spec?.containers ?? []
}

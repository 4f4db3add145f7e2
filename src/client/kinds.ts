import { KINDS, isBuiltIn, resourceOf, typeOf, type Kind } from '../domain/kinds.ts'
import type { WorkloadKey } from '../domain/workload/workload.ts'

/** kubectl's short names. */
const SHORT: Readonly<Record<string, Kind>> = {
  deploy: 'deployments',
  sts: 'statefulsets',
  ds: 'daemonsets',
  rs: 'replicasets',
  cj: 'cronjobs',
}

/** The short name that commands are written with: `deploy` of deployments. */
const SHORTEST = new Map<string, string>(Object.entries(SHORT).map(([short, kind]) => [kind, short]))

/**
 * The kind named by `deploy`, `Deployment`, `deployments.apps`, `deployments.v1.apps` or, of `configured` ones,
 * `rollout`; undefined: none.
 */
export function kindNamed(text: string, configured: readonly Kind[] = []): Kind | undefined {
  const name = text.toLowerCase()
  const short = Object.hasOwn(SHORT, name) ? SHORT[name] : undefined
  if (short !== undefined) return short
  return [...KINDS, ...configured].find((kind) => namesOf(kind).includes(name))
}

function namesOf(kind: Kind): string[] {
  const { group, resource } = resourceOf(kind)
  const type = typeOf(kind)
  return [resource, type].flatMap((name) => [name, `${name}.${group}`, `${name}.v1.${group}`])
}

/** A workload as kubectl names it with `-o name`: `deployment.apps/web`. */
export function resourceName({ kind, name }: Pick<WorkloadKey, 'kind' | 'name'>): string {
  return `${typeOf(kind)}.${resourceOf(kind).group}/${name}`
}

/** A workload in the form of the command line: `deploy/web`. */
export function targetText({ kind, name }: Pick<WorkloadKey, 'kind' | 'name'>): string {
  return `${SHORTEST.get(kind) ?? (isBuiltIn(kind) ? typeOf(kind) : kind)}/${name}`
}

/** Kind names for completion before a slash. */
export const KIND_TEXTS: readonly string[] = KINDS.map((kind) => SHORTEST.get(kind) ?? kind)

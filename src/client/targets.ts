import { isConfigurable } from '../domain/kinds.ts'
import { nearestName } from '../domain/nearest.ts'
import type { Kind, WorkloadKey } from '../domain/workload/workload.ts'
import { Refusal, UsageError } from '../process/errors.ts'
import { KIND_TEXTS, kindNamed, targetText } from './kinds.ts'
import type { Dormouse } from './ports.ts'

type Lookup = Pick<Dormouse, 'kinds' | 'get' | 'list'>

/** As Kubernetes names objects (RFC 1123). */
export const NAME = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/

/** The workloads that a command is about, each once. */
export interface Targets {
  readonly keys: readonly WorkloadKey[]
  /** A refusal for each named workload that does not exist. */
  readonly absent: readonly Refusal[]
  /** Whether programs get a list, even of one. */
  readonly isList: boolean
}

/**
 * The workloads named by `deploy/web` or `web`.
 * @throws UsageError for a text that is no name, or an ambiguous one; Refusal
 */
export async function findTargets(
  dormouse: Lookup,
  namespace: string,
  texts: readonly string[],
): Promise<Targets> {
  const named = await spelledOut(dormouse, namespace, texts)
  const looked = await Promise.allSettled(named.map((text) => findTarget(dormouse, namespace, text)))
  const found: WorkloadKey[] = []
  const absent: Refusal[] = []
  for (const each of looked) {
    if (each.status === 'fulfilled') found.push(each.value)
    else if (isAbsent(each.reason)) absent.push(each.reason)
    else throw each.reason
  }
  const keys = [...new Map(found.map((key) => [targetText(key), key])).values()]
  return { keys, absent, isList: keys.length + absent.length > 1 }
}

/**
 * Each target by itself: `deploy/web,sts/db` is two, and `deploy web api`, as kubectl takes it, is `deploy/web deploy/api`,
 * unless there is a workload that is called so.
 */
async function spelledOut(
  dormouse: Lookup,
  namespace: string,
  texts: readonly string[],
): Promise<readonly string[]> {
  const [first = '', ...names] = texts.flatMap((text) => text.split(',').filter((each) => each !== ''))
  const isKind =
    names.length > 0 &&
    ![first, ...names].some((each) => each.includes('/')) &&
    (kindNamed(first) ?? (await configuredKind(dormouse, first))) !== undefined
  if (!isKind) return [first, ...names]
  const isName = await findNamed(dormouse, namespace, first).then(
    () => true,
    (error: unknown) => !isAbsent(error),
  )
  return isName ? [first, ...names] : names.map((name) => `${first}/${name}`)
}

async function findTarget(dormouse: Lookup, namespace: string, text: string): Promise<WorkloadKey> {
  const [before = '', name, ...more] = text.split('/')
  if (more.length > 0) throw new UsageError(`'${text}' is no target: write one such as deploy/web, or web`)
  if (name === undefined) return findNamed(dormouse, namespace, checkedName(before, text))
  const kind = kindNamed(before) ?? (await configuredKind(dormouse, before))
  if (kind === undefined) throw new UsageError(unknownKind(before, name))
  return { kind, namespace, name: checkedName(name, text) }
}

/** Asks for the service's configured kinds only if no built-in kind matches. */
async function configuredKind(dormouse: Lookup, text: string): Promise<Kind | undefined> {
  const known = kindNamed(text, await dormouse.kinds())
  return known ?? (isConfigurable(text) ? text : undefined)
}

function unknownKind(text: string, name: string): string {
  const near = nearestName(text, [...KIND_TEXTS, 'deployment', 'statefulset', 'daemonset', 'cronjob'])
  const meant = near === undefined ? `write one of ${KIND_TEXTS.join(', ')}` : `did you mean ${near}/${name}?`
  return `there is no kind '${text}' that Dormouse manages: ${meant}`
}

function checkedName(name: string, text: string): string {
  if (NAME.test(name)) return name
  throw new UsageError(
    `'${text}' is no target: write one such as deploy/web, or web; names are of lower-case letters, digits, - and .`,
  )
}

async function findNamed(dormouse: Lookup, namespace: string, name: string): Promise<WorkloadKey> {
  const kinds = await dormouse.kinds()
  const looked = await Promise.allSettled(
    kinds.map((kind) => dormouse.get({ kind, namespace, name }).then(() => kind)),
  )
  const found = looked.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  const [kind, ...others] = found
  if (kind !== undefined && others.length === 0) return { kind, namespace, name }
  if (kind !== undefined) {
    const all = found.map((each) => targetText({ kind: each, name })).join(', ')
    throw new UsageError(`there are several ${name} in namespace ${namespace}: write one of ${all}`)
  }
  for (const each of looked) if (each.status === 'rejected' && !isAbsent(each.reason)) throw each.reason
  throw await absent(dormouse, namespace, name)
}

/** Whether there is no such workload. */
export function isAbsent(error: unknown): error is Refusal {
  return error instanceof Refusal && (error.code === 'NOT_FOUND' || error.code === 'OWNED')
}

/** @returns the error for a name that no workload has; it names the one that was probably meant */
async function absent(dormouse: Lookup, namespace: string, name: string): Promise<Error> {
  const all = await dormouse.list({ namespace }).catch(() => [])
  const near = nearestName(
    name,
    all.map(({ record }) => record.name),
  )
  const meant = all.find(({ record }) => record.name === near)
  const advice = meant
    ? `did you mean ${targetText({ kind: meant.kind, name: meant.record.name })}?`
    : kindNamed(name) !== undefined
      ? `a target with a kind is written with a slash: ${name}/web`
      : 'list -A shows those of all namespaces, and -n chooses one'
  return new Refusal('NOT_FOUND', `there is no workload ${name} in namespace ${namespace}: ${advice}`)
}

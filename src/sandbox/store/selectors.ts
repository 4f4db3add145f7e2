import { badRequest } from './status.ts'
import { isRecord } from './object.ts'
import type { KubeObject, LabelSelector } from './object.ts'

export type Matcher = (object: KubeObject) => boolean

type Labels = Record<string, string>
type LabelTest = (labels: Labels) => boolean

const IN = /^([^\s=!,()]+)\s+(in|notin)\s*\(([^)]*)\)$/
const EQUALS = /^([^\s=!,()]+)\s*(==|=|!=)\s*([^\s=!,()]*)$/
const EXISTS = /^(!?)\s*([^\s=!,()]+)$/

/** `a=b,c!=d,e,!f,g in (h,i),j notin (k)`: the syntax of the API concepts page "Labels and Selectors". */
export function labelSelector(selector: string | null): Matcher | undefined {
  if (!selector?.trim()) return undefined
  const tests = selector.split(/,(?![^(]*\))/).map((part) => labelTest(part.trim()))
  return (object) => tests.every((test) => test(object.metadata.labels ?? {}))
}

function labelTest(requirement: string): LabelTest {
  const set = IN.exec(requirement)
  if (set) return member(set[1] ?? '', set[2] === 'in' ? 'In' : 'NotIn', (set[3] ?? '').split(',').map(trim))
  const equality = EQUALS.exec(requirement)
  if (equality) return member(equality[1] ?? '', equality[2] === '!=' ? 'NotIn' : 'In', [equality[3] ?? ''])
  const existence = EXISTS.exec(requirement)
  if (existence) return member(existence[2] ?? '', existence[1] === '!' ? 'DoesNotExist' : 'Exists', [])
  throw badRequest(`unable to parse requirement: found '${requirement}', expected a label selector`)
}

const trim = (value: string) => value.trim()

function member(key: string, operator: string, values: string[]): LabelTest {
  switch (operator) {
    case 'In':
      return (labels) => values.includes(labels[key] ?? '\0')
    case 'NotIn':
      return (labels) => !values.includes(labels[key] ?? '\0')
    case 'Exists':
      return (labels) => key in labels
    case 'DoesNotExist':
      return (labels) => !(key in labels)
    default:
      return () => false
  }
}

export function matches(selector: LabelSelector | undefined, labels: Labels): boolean {
  const exact = Object.entries(selector?.matchLabels ?? {})
  const expressions = selector?.matchExpressions ?? []
  return (
    exact.every(([key, value]) => labels[key] === value) &&
    expressions.every(({ key, operator, values }) => member(key, operator, values ?? [])(labels))
  )
}

/** A Scale's `status.selector` and what `kubectl get -o wide` shows. */
export function selectorText(selector: LabelSelector | undefined): string {
  const exact = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`)
  const expressions = (selector?.matchExpressions ?? []).map(({ key, operator, values }) => {
    if (operator === 'Exists') return key
    if (operator === 'DoesNotExist') return `!${key}`
    return `${key} ${operator.toLowerCase()} (${(values ?? []).join(',')})`
  })
  return [...exact, ...expressions].join(',')
}

const FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'spec.nodeName',
  'status.phase',
  'type',
  'reason',
  /^involvedObject\.[a-zA-Z]+$/,
]

/** `metadata.name=a,metadata.namespace!=b`, and what events and pods are asked by. */
export function fieldSelector(selector: string | null): Matcher | undefined {
  if (!selector?.trim()) return undefined
  const tests = selector.split(',').map((part) => {
    const equality = EQUALS.exec(part.trim())
    const path = equality?.[1] ?? ''
    if (!equality || !FIELDS.some((field) => (typeof field === 'string' ? field === path : field.test(path))))
      throw badRequest(`field label not supported: ${part.trim()}`)
    const wanted = equality[2] !== '!='
    const value = equality[3] ?? ''
    return (object: KubeObject) => (field(object, path) === value) === wanted
  })
  return (object) => tests.every((test) => test(object))
}

function field(object: KubeObject, path: string): string {
  let value: unknown = object
  for (const step of path.split('.')) value = isRecord(value) ? value[step] : undefined
  return typeof value === 'string' ? value : ''
}

export function both(one: Matcher | undefined, other: Matcher | undefined): Matcher | undefined {
  return one && other ? (object) => one(object) && other(object) : (one ?? other)
}

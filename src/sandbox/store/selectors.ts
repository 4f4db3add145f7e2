import { InvalidLabelSelector, labelMatcher, parseLabelSelector } from '../../domain/policy/label-selector.ts'
import type { LabelRequirement } from '../../domain/policy/label-selector.ts'
import { badRequest } from './status.ts'
import { valueAt, type KubeObject, type LabelSelector } from './object.ts'

export type Matcher = (object: KubeObject) => boolean

type Labels = Record<string, string>

/**
 * As the API concepts page "Labels and Selectors" writes them; undefined: everything matches.
 * @throws StatusError 400
 */
export function labelSelector(selector: string | null): Matcher | undefined {
  if (!selector?.trim()) return undefined
  try {
    // To the API server, `()` is a set of one empty value.
    const matches = parseLabelSelector(selector.replaceAll(/\(\s*\)/g, '(,)'))
    return (object) => matches(object.metadata.labels)
  } catch (error) {
    if (error instanceof InvalidLabelSelector)
      throw badRequest(`unable to parse requirement: ${error.message}`)
    throw error
  }
}

export function matches(selector: LabelSelector | undefined, labels: Labels): boolean {
  const exact = Object.entries(selector?.matchLabels ?? {})
  const expressions = selector?.matchExpressions ?? []
  return (
    exact.every(([key, value]) => labels[key] === value) &&
    expressions.every((each) => isRequirement(each) && labelMatcher(each)(labels))
  )
}

const OPERATORS: string[] = ['In', 'NotIn', 'Exists', 'DoesNotExist'] satisfies LabelRequirement['operator'][]

/** An unknown operator matches nothing. */
function isRequirement(expression: { operator: string; key: string }): expression is LabelRequirement {
  return OPERATORS.includes(expression.operator)
}

/** The text of a Scale's `status.selector`, which `kubectl get -o wide` shows too. */
export function selectorText(selector: LabelSelector | undefined): string {
  const exact = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`)
  const expressions = (selector?.matchExpressions ?? []).map(({ key, operator, values }) => {
    if (operator === 'Exists') return key
    if (operator === 'DoesNotExist') return `!${key}`
    return `${key} ${operator.toLowerCase()} (${(values ?? []).join(',')})`
  })
  return [...exact, ...expressions].join(',')
}

const EQUALS = /^([^\s=!,()]+)\s*(==|=|!=)\s*([^\s=!,()]*)$/
const FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'spec.nodeName',
  'status.phase',
  'type',
  'reason',
  /^involvedObject\.[a-zA-Z]+$/,
]

/**
 * `metadata.name=a,metadata.namespace!=b`, and the fields by which events and pods are selected.
 * @throws StatusError 400
 */
export function fieldSelector(selector: string | null): Matcher | undefined {
  if (!selector?.trim()) return undefined
  const tests = selector.split(',').map((part) => {
    const equality = EQUALS.exec(part.trim())
    const path = equality?.[1] ?? ''
    if (!equality || !FIELDS.some((field) => (typeof field === 'string' ? field === path : field.test(path))))
      throw badRequest(`field label not supported: ${part.trim()}`)
    const wanted = equality[2] !== '!='
    const value = equality[3] ?? ''
    return (object: KubeObject) => ((valueAt(object, path) ?? '') === value) === wanted
  })
  return (object) => tests.every((test) => test(object))
}

export function both(one: Matcher | undefined, other: Matcher | undefined): Matcher | undefined {
  return one && other ? (object) => one(object) && other(object) : (one ?? other)
}

import { Scanner } from '../scanner.ts'

type Labels = Readonly<Record<string, string>>

/** Whether the selector matches these labels; undefined: the object has none. */
export type LabelMatcher = (labels: Labels | undefined) => boolean

/** One requirement, as an entry of a LabelSelector's `matchExpressions` writes it; `Gt` and `Lt` exist in texts only. */
export interface LabelRequirement {
  readonly key: string
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt'
  readonly values?: readonly string[]
}

/** A text that is no label selector; the message has the position of the fault, and what was expected there. */
export class InvalidLabelSelector extends Error {
  override readonly name: string = 'InvalidLabelSelector'
}

const NAME = '[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?'
const PREFIX = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*'
const KEY = new RegExp(`^(?=[^/]{0,253}/|[^/]*$)(?:${PREFIX}/)?${NAME}$`)
const VALUE = new RegExp(`^(?:${NAME})?$`)
const INTEGER = /^-?\d{1,15}$/
const OPERATORS = {
  '=': 'In',
  '==': 'In',
  '!=': 'NotIn',
  in: 'In',
  notin: 'NotIn',
  '<': 'Lt',
  '>': 'Gt',
} as const

/**
 * Compiles a label selector, equality-based and set-based, as `kubectl --selector` takes it:
 * `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1,m<9`. An empty text matches everything.
 * The grammar is Kubernetes' own (concepts: labels and selectors).
 * @throws InvalidLabelSelector
 */
export function parseLabelSelector(text: string): LabelMatcher {
  const reader = new Reader(text)
  const tests: LabelMatcher[] = []
  if (!reader.atEnd()) {
    do tests.push(labelMatcher(requirement(reader)))
    while (reader.skip(','))
  }
  if (!reader.atEnd()) throw reader.fault("',' or the end")
  return (labels) => tests.every((test) => test(labels))
}

/** Compiles one requirement. `NotIn` matches objects without the label, `Gt` and `Lt` match whole numbers alone. */
export function labelMatcher({ key, operator, values = [] }: LabelRequirement): LabelMatcher {
  const allowed = new Set<string | undefined>(values)
  const bound = Number(values[0])
  const valueOf = (labels: Labels | undefined) =>
    labels && Object.hasOwn(labels, key) ? labels[key] : undefined
  const numberOf = (value = '') => (INTEGER.test(value) ? Number(value) : NaN)
  switch (operator) {
    case 'In':
      return (labels) => allowed.has(valueOf(labels))
    case 'NotIn':
      return (labels) => !allowed.has(valueOf(labels))
    case 'Exists':
      return (labels) => valueOf(labels) !== undefined
    case 'DoesNotExist':
      return (labels) => valueOf(labels) === undefined
    case 'Gt':
      return (labels) => numberOf(valueOf(labels)) > bound
    case 'Lt':
      return (labels) => numberOf(valueOf(labels)) < bound
  }
}

function requirement(reader: Reader): LabelRequirement {
  const isNegated = reader.skip('!')
  const key = reader.word(KEY, 'the key of a label')
  if (isNegated) return { key, operator: 'DoesNotExist' }
  if (reader.atEnd() || reader.sees(',')) return { key, operator: 'Exists' }
  const sign = reader.operator()
  const operator = OPERATORS[sign]
  if (sign === 'in' || sign === 'notin') return { key, operator, values: valueSet(reader) }
  if (sign === '>' || sign === '<') return { key, operator, values: [reader.word(INTEGER, 'an integer')] }
  return { key, operator, values: [reader.word(VALUE, 'the value of a label')] }
}

function valueSet(reader: Reader): string[] {
  if (!reader.skip('(')) throw reader.fault("'('")
  if (reader.sees(')')) throw reader.fault('at least one value')
  const values: string[] = []
  do values.push(reader.word(VALUE, 'the value of a label'))
  while (reader.skip(','))
  if (!reader.skip(')')) throw reader.fault("',' or ')'")
  return values
}

class Reader extends Scanner {
  operator(): keyof typeof OPERATORS {
    const found = this.match(/==|!=|[=<>]|(?:in|notin)(?![^\s(])/y)?.[0] ?? ''
    if (Object.hasOwn(OPERATORS, found)) return found as keyof typeof OPERATORS
    throw this.fault('one of =, ==, !=, in, notin, < and >')
  }

  /** The text up to the next mark or white space, if it has this form. */
  word(form: RegExp, expected: string): string {
    const at = this.mark()
    const found = this.match(/[^\s=!<>,()]*/y)?.[0] ?? ''
    if (form.test(found)) return found
    this.reset(at)
    throw this.fault(expected)
  }

  fault(expected: string): InvalidLabelSelector {
    const at = this.mark()
    const found = this.atEnd() ? 'the end' : `'${this.from(at).slice(0, 20)}'`
    return new InvalidLabelSelector(`at ${at + 1}: expected ${expected}, found ${found}`)
  }
}

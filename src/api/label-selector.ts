/** Whether a workload's labels are what a selector asks for. */
export type LabelTest = (labels: Readonly<Record<string, string>>) => boolean

/** A selector that cannot be read; the message says where and what was expected there. */
export class InvalidLabelSelector extends Error {
  override readonly name: string = 'InvalidLabelSelector'
}

const NAME = '[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?'
const PREFIX = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*'
const KEY = new RegExp(`^(?=[^/]{0,253}/|[^/]*$)(?:${PREFIX}/)?${NAME}$`)
const VALUE = new RegExp(`^(?:${NAME})?$`)
const INTEGER = /^-?\d{1,15}$/

/**
 * Reads a label selector, equality-based and set-based, as `kubectl --selector` takes it:
 * `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1,m<9`. Empty: every workload.
 * The grammar is Kubernetes' own (concepts: labels and selectors). Throws InvalidLabelSelector.
 */
export function parseLabelSelector(text: string): LabelTest {
  const reader = new Reader(text)
  const tests: LabelTest[] = []
  if (!reader.atEnd()) {
    do tests.push(requirement(reader))
    while (reader.take(','))
  }
  if (!reader.atEnd()) throw reader.fault("',' or the end")
  return (labels) => tests.every((test) => test(labels))
}

function requirement(reader: Reader): LabelTest {
  if (reader.take('!')) {
    const key = reader.word(KEY, 'the key of a label')
    return (labels) => !Object.hasOwn(labels, key)
  }
  const key = reader.word(KEY, 'the key of a label')
  const valueOf = (labels: Readonly<Record<string, string>>) =>
    Object.hasOwn(labels, key) ? labels[key] : undefined
  if (reader.atEnd() || reader.sees(',')) return (labels) => valueOf(labels) !== undefined
  const operator = reader.operator()
  if (operator === 'in' || operator === 'notin') {
    const values = valueSet(reader)
    return (labels) => values.has(valueOf(labels)) === (operator === 'in')
  }
  if (operator === '>' || operator === '<') {
    const bound = Number(reader.word(INTEGER, 'an integer'))
    return (labels) => {
      const value = valueOf(labels)
      return (
        value !== undefined &&
        INTEGER.test(value) &&
        (operator === '>' ? Number(value) > bound : Number(value) < bound)
      )
    }
  }
  const value = reader.word(VALUE, 'the value of a label')
  return (labels) => (valueOf(labels) === value) === (operator !== '!=')
}

function valueSet(reader: Reader): Set<string | undefined> {
  if (!reader.take('(')) throw reader.fault("'('")
  if (reader.sees(')')) throw reader.fault('at least one value')
  const values = new Set<string | undefined>()
  do values.add(reader.word(VALUE, 'the value of a label'))
  while (reader.take(','))
  if (!reader.take(')')) throw reader.fault("',' or ')'")
  return values
}

/** A cursor over the text that never rests on white space. */
class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
    this.#match(/\s*/y)
  }

  atEnd(): boolean {
    return this.#at === this.#text.length
  }

  sees(character: string): boolean {
    return this.#text.startsWith(character, this.#at)
  }

  take(character: string): boolean {
    return this.sees(character) && this.#match(/./y) !== ''
  }

  operator(): string {
    const found = this.#match(/==|!=|[=<>]|(?:in|notin)(?![^\s(])/y)
    if (found === '') throw this.fault('one of =, ==, !=, in, notin, < and >')
    return found
  }

  /** What stands here up to the next mark or white space, if it has this form. */
  word(form: RegExp, expected: string): string {
    const at = this.#at
    const found = this.#match(/[^\s=!<>,()]*/y)
    if (form.test(found)) return found
    this.#at = at
    throw this.fault(expected)
  }

  fault(expected: string): InvalidLabelSelector {
    const found = this.atEnd() ? 'the end' : `'${this.#text.slice(this.#at, this.#at + 20)}'`
    return new InvalidLabelSelector(`at ${this.#at + 1}: expected ${expected}, found ${found}`)
  }

  #match(form: RegExp): string {
    form.lastIndex = this.#at
    const found = form.exec(this.#text)?.[0] ?? ''
    this.#at += found.length
    while (/\s/.test(this.#text.charAt(this.#at))) this.#at += 1
    return found
  }
}

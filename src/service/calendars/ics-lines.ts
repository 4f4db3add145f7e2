/** One property: `DTSTART;TZID=Europe/Berlin:20261224T000000`. */
export interface IcsProperty {
  /** In capitals. */
  readonly name: string
  readonly value: string
  /** The line on which it begins, from 1. */
  readonly line: number
  /** The value of a parameter without its quotes; undefined: there is none. */
  readonly parameter: (name: string) => string | undefined
}

/** A component: VCALENDAR, VEVENT, VTIMEZONE and the like. */
export interface IcsComponent {
  /** In capitals. */
  readonly name: string
  readonly line: number
  readonly properties: readonly IcsProperty[]
  readonly components: readonly IcsComponent[]
  /** Its lines, unfolded, with BEGIN and END. */
  readonly lines: readonly string[]
}

/** Components within components: a calendar has an event, that an alarm. */
const DEEPEST = 8

interface Open {
  readonly name: string
  readonly line: number
  readonly properties: IcsProperty[]
  readonly components: IcsComponent[]
  readonly lines: string[]
}

/**
 * The components of a text in the notation of iCalendar (RFC 5545, 3.1), whose lines may end as any program ends them. A
 * line that is no property, such as a second line of a text that should have been folded, is passed over: ical.js
 * would refuse the whole text for it.
 * @throws Error where a component does not end, or another ends
 */
export function componentsOf(text: string): IcsComponent[] {
  const found: IcsComponent[] = []
  const open: Open[] = []
  for (const { text: line, number } of unfolded(text)) {
    const [, begins] = /^BEGIN:\s*([\w-]+)\s*$/i.exec(line) ?? []
    const [, ends] = /^END:\s*([\w-]+)\s*$/i.exec(line) ?? []
    if (begins !== undefined && open.length === DEEPEST)
      throw new Error(`line ${number} begins a ${begins} within ${DEEPEST} others`)
    if (begins !== undefined)
      open.push({ name: begins.toUpperCase(), line: number, properties: [], components: [], lines: [] })
    const inner = open.at(-1)
    for (const each of open) each.lines.push(line)
    if (begins !== undefined) continue
    if (ends !== undefined) {
      if (inner?.name !== ends.toUpperCase())
        throw new Error(
          `line ${number} ends a ${ends}, where ${inner ? `a ${inner.name}` : 'nothing'} is open`,
        )
      open.pop()
      const outer = open.at(-1)
      ;(outer ? outer.components : found).push(inner)
    } else if (inner) {
      const property = propertyOf(line, number)
      if (property) inner.properties.push(property)
    }
  }
  const [left] = open
  if (left) throw new Error(`the ${left.name} of line ${left.line} has no end`)
  return found
}

/** Lines with those that continue them (RFC 5545, 3.1): these begin with a blank or a tab. */
function unfolded(text: string): { text: string; number: number }[] {
  const lines: { text: string; number: number }[] = []
  for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) {
    const last = lines.at(-1)
    if (last && /^[ \t]/.test(line)) last.text += line.slice(1)
    else lines.push({ text: line, number: index + 1 })
  }
  return lines
}

const NAME = /^[A-Za-z0-9-]+(?=[;:])/
const PARAMETER = /;([A-Za-z0-9-]+)=((?:"[^"]*"|[^;:"])*)/y

function propertyOf(line: string, number: number): IcsProperty | undefined {
  const [name] = NAME.exec(line) ?? []
  if (name === undefined) return undefined
  const parameters = new Map<string, string>()
  PARAMETER.lastIndex = name.length
  let at = name.length
  for (let each = PARAMETER.exec(line); each; each = PARAMETER.exec(line)) {
    parameters.set((each[1] ?? '').toUpperCase(), (each[2] ?? '').replaceAll('"', ''))
    at = PARAMETER.lastIndex
  }
  // Parameters that nobody can read are passed over.
  const colon = line.indexOf(':', at)
  if (colon === -1) return undefined
  return {
    name: name.toUpperCase(),
    value: line.slice(colon + 1).trim(),
    line: number,
    parameter: (asked) => parameters.get(asked),
  }
}

/** The text of a value (RFC 5545, 3.3.11). */
export function textOf(value: string): string {
  return value.replaceAll(/\\([nN,;\\])/g, (_, escaped: string) =>
    escaped.toLowerCase() === 'n' ? '\n' : escaped,
  )
}

/** The texts of a value that lists several, separated by commas that are not escaped. */
export function textsOf(value: string): string[] {
  return (value.match(/(?:\\.|[^,\\])+/g) ?? []).map((each) => textOf(each).trim())
}

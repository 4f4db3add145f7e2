import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type Node } from 'yaml'
import { messageOf } from '../../process/errors.ts'
import { fault, InvalidConfig, type ConfigFault } from './faults.ts'

const MAX_BYTES = 256 * 1024

/** A parsed YAML file: its value, and the position of each key. */
export interface ConfigDocument {
  readonly value: unknown
  /** `dormouse.yaml:4:3` for the key at this path; undefined: the file does not contain it. */
  sourceOf(path: readonly string[]): string | undefined
}

/**
 * Reads one YAML 1.2 document; an empty one is an empty mapping.
 * @throws InvalidConfig with the line and column of every fault of syntax, duplicate keys included
 */
export function readDocument(text: string, file: string): ConfigDocument {
  if (Buffer.byteLength(text) > MAX_BYTES) {
    throw new InvalidConfig([fault('', file, `a file of at most ${MAX_BYTES / 1024} KiB`)])
  }
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true })
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return `${file}:${line}:${col}`
  }
  const faults = [...document.errors, ...document.warnings].map(({ pos, message }) =>
    fault('', place(pos[0]), message),
  )
  if (faults.length > 0) throw new InvalidConfig(faults)
  return {
    value: valueOf(document, file),
    sourceOf: (path) => {
      const offset = offsetOf(document, path)
      return offset === undefined ? undefined : place(offset)
    },
  }
}

/** Parses a variable's text as YAML, without positions. */
export function readValue(text: string): { value: unknown } | { problem: string } {
  const document = parseDocument(text.slice(0, MAX_BYTES), { prettyErrors: false, stringKeys: true })
  const [problem] = [...document.errors, ...document.warnings]
  if (problem) return { problem: problem.message }
  try {
    return { value: finite(document.toJS()) }
  } catch (error) {
    return { problem: messageOf(error) }
  }
}

function valueOf(document: Document, file: string): unknown {
  try {
    return finite(document.toJS()) ?? {}
  } catch (error) {
    // Aliases expand without bounds.
    const faults: ConfigFault[] = [fault('', file, messageOf(error))]
    throw new InvalidConfig(faults)
  }
}

/** The same value. @throws Error if an alias stands inside its own anchor, so that the value is endless */
function finite(value: unknown, above = new Set<unknown>()): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (above.has(value)) throw new Error('an alias stands inside what it names')
  above.add(value)
  for (const child of Object.values(value)) finite(child, above)
  above.delete(value)
  return value
}

function offsetOf(document: Document, path: readonly string[]): number | undefined {
  let at: Node | null = document.contents
  let node = at
  for (const step of path) ({ at, next: node } = child(document, node, step))
  return at?.range?.[0]
}

/** `at`: the node that names this step (the key, or the item itself); `next`: the node where the path continues. */
function child(
  document: Document,
  parent: Node | null,
  step: string,
): { at: Node | null; next: Node | null } {
  const node = isAlias(parent) ? parent.resolve(document) : parent
  if (isMap<Node, Node | null>(node)) {
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === step)
    return { at: pair?.key ?? null, next: pair?.value ?? null }
  }
  const item = isSeq<Node>(node) ? (node.items[Number(step)] ?? null) : null
  return { at: item, next: item }
}

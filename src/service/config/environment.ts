import type { Schema } from '../../domain/json-schema.ts'
import { pointerTo } from '../../domain/json-pointer.ts'
import { readValue } from './document.ts'
import { fault, unknownName, type ConfigFault } from './faults.ts'

const PREFIX = 'DORMOUSE_'
/** The client's: whoever exports it for `--server` may also run `serve` and `check`. */
const TOKEN = 'DORMOUSE_TOKEN'

/** A value given for one key outside the file: by a variable or by an option of the command line. */
export interface Setting {
  /** `['api', 'port']` */
  readonly path: readonly string[]
  readonly value: unknown
  /** The variable's or the option's name, for messages. */
  readonly source: string
}

/**
 * The settings that variables give. A key's variable is its path in capitals, words apart by `_`:
 * `backoff.maxOperations` is DORMOUSE_BACKOFF_MAX_OPERATIONS. Lists are separated by commas or written as
 * YAML (JSON included), sections as YAML; `null` is null where the key allows it; an empty variable is ignored.
 * Variables for keys override the variable for their section. An unknown variable is a fault.
 */
export function settingsOf(
  environment: Readonly<Record<string, string | undefined>>,
  schema: Schema,
): { settings: Setting[]; faults: ConfigFault[] } {
  const known = variables(schema)
  const settings: Setting[] = []
  const faults: ConfigFault[] = []
  for (const [source, text] of Object.entries(environment)) {
    if (!source.startsWith(PREFIX) || source === TOKEN || !text || isServiceLink(source, text)) continue
    const key = known.get(source)
    const read = key && valueOf(text, key.schema)
    if (!read) faults.push(fault('', source, unknownName('variable', source, [...known.keys()])))
    else if ('problem' in read) faults.push(fault(pointerTo(key.path), source, read.problem))
    else settings.push({ path: key.path, value: read.value, source })
  }
  return { settings: settings.toSorted((a, b) => a.path.length - b.path.length), faults }
}

type Variables = Map<string, { path: readonly string[]; schema: Schema }>

function variables(schema: Schema, path: readonly string[] = [], found: Variables = new Map()): Variables {
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    const childPath = [...path, name]
    const words = childPath.map((step) => step.replaceAll(/[A-Z]/g, '_$&').toUpperCase())
    found.set(PREFIX + words.join('_'), { path: childPath, schema: child })
    variables(child, childPath, found)
  }
  return found
}

function valueOf(text: string, schema: Schema): { value: unknown } | { problem: string } {
  const types = [schema.type].flat()
  if (text === 'null' && types.includes('null')) return { value: null }
  if (types.includes('object')) return readValue(text)
  if (types.includes('array')) {
    const plain = schema.items?.type === 'string' && !text.trimStart().startsWith('[')
    return plain ? { value: text.split(',').map((item) => item.trim()) } : readValue(text)
  }
  if (types.includes('boolean') && /^(?:true|false)$/.test(text)) return { value: text === 'true' }
  if (types.includes('integer') && /^-?\d{1,15}$/.test(text)) return { value: Number(text) }
  if (types.includes('number') && /^\d{1,9}(?:\.\d{1,9})?$/.test(text)) return { value: Number(text) }
  return { value: text }
}

/**
 * Kubernetes sets variables in a pod for every Service of its namespace (`enableServiceLinks`): for one named
 * `dormouse-api` DORMOUSE_API_SERVICE_HOST and DORMOUSE_API_PORT=tcp://10.0.0.1:8443.
 */
function isServiceLink(name: string, text: string): boolean {
  return (
    /_SERVICE_(?:HOST|PORT(?:_\w+)?)$/.test(name) ||
    /_PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/.test(name) ||
    (name.endsWith('_PORT') && /^(?:tcp|udp|sctp):\/\//.test(text))
  )
}

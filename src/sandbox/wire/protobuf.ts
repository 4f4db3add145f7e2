import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { isRecord, list, text, type JsonRecord } from '../store/object.ts'
import { badRequest, StatusError } from '../store/status.ts'
import { messages, type Field, type Message } from './notation.ts'

export const PROTOBUF = 'application/vnd.kubernetes.protobuf'

/** Before the `Unknown` that every object is in. Source: the API concepts page, "Kubernetes Protobuf encoding". */
const MAGIC = Buffer.from('k8s\0')

/**
 * The object that a typed client sent.
 * @throws StatusError 400, 415 for a kind or a field that the table lacks: it would get lost
 */
export function fromProtobuf(bytes: Buffer): JsonRecord {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) throw badRequest('the body is no Kubernetes protobuf')
  try {
    const envelope = read(bytes.subarray(MAGIC.length), known('Unknown'))
    const [apiVersion, kind] = ['apiVersion', 'kind'].map((field) => text(envelope['typeMeta'], field))
    return { apiVersion, kind, ...read(Buffer.from(text(envelope, 'raw'), 'base64'), known(kind)) }
  } catch (error) {
    throw error instanceof StatusError ? error : badRequest(`error decoding the body: ${String(error)}`)
  }
}

/** The bytes of an object in JSON, or of a list. @throws StatusError 406 for a kind or a field that the table lacks */
export function toProtobuf({ apiVersion, kind, ...object }: JsonRecord): Uint8Array {
  try {
    const raw = Buffer.from(written(object, known(kind))).toString('base64')
    return Buffer.concat([MAGIC, written({ typeMeta: { apiVersion, kind }, raw }, known('Unknown'))])
  } catch (error) {
    throw new StatusError(406, error instanceof Error ? error.message : String(error))
  }
}

function known(kind: unknown): Message {
  const name = String(kind)
  const message = messages.get(name)
  if (message) return message
  if (!name.endsWith('List')) throw lacking(`knows no ${name || 'object without a kind'}`)
  const field = { shape: 'one', keepsZero: false } as const
  const metadata: Field = { ...field, number: 1, name: 'metadata', type: known('ListMeta') }
  const items: Field = { ...field, number: 2, name: 'items', shape: 'list', type: known(name.slice(0, -4)) }
  return { name, fields: [metadata, items] }
}

const lacking = (what: string) =>
  new StatusError(415, `the sandbox ${what} in protobuf: use JSON, as kubectl apply -f with a file does`)

/** The messages that are no object in JSON. */
const FORMS: Readonly<
  Record<string, { read: (message: JsonRecord) => unknown; write: (json: unknown) => JsonRecord }>
> = {
  Time: { read: (time) => instant(time, 0), write: instantOf },
  MicroTime: { read: (time) => instant(time, 6), write: instantOf },
  Quantity: { read: (quantity) => text(quantity, 'string'), write: (string) => ({ string }) },
  Strings: { read: (strings) => list(strings, 'items'), write: (items) => ({ items }) },
  IntOrString: {
    read: ({ type, intVal = 0, strVal = '' }) => (type === 1 ? strVal : intVal),
    write: (value) => (typeof value === 'number' ? { intVal: value } : { type: 1, strVal: value }),
  },
  Raw: {
    read: (message): unknown => JSON.parse(Buffer.from(text(message, 'raw'), 'base64').toString()),
    write: (json) => ({ raw: Buffer.from(JSON.stringify(json)).toString('base64') }),
  },
}

/** With these digits of a second; undefined: Go's zero time, which JSON leaves out. */
function instant({ seconds, nanos = 0 }: JsonRecord, digits: 0 | 6): string | undefined {
  if (seconds === undefined) return undefined
  const fraction = `.${String(nanos).padStart(9, '0')}`.slice(0, digits && digits + 1)
  return new Date(Number(seconds) * 1000).toISOString().replace('.000', fraction)
}

function instantOf(time: unknown): JsonRecord {
  const [, fraction = ''] = /\.(\d+)/.exec(String(time)) ?? []
  return { seconds: Math.floor(Date.parse(String(time)) / 1000), nanos: Number(fraction.padEnd(9, '0')) }
}

const wireOf = ({ type }: Field) =>
  type === 'number' || type === 'boolean' ? WireType.Varint : WireType.LengthDelimited

function read(bytes: Uint8Array, { name, fields }: Message): JsonRecord {
  const reader = new BinaryReader(bytes)
  const found = new Map<Field, unknown[]>()
  while (reader.pos < reader.len) {
    const [number, wire] = reader.tag()
    const field = fields.find((each) => each.number === number)
    if (!field || wire !== wireOf(field)) throw lacking(`does not know field ${number} of ${name}`)
    const values = found.get(field) ?? []
    values.push(valueIn(reader, field.type))
    found.set(field, values)
  }
  return Object.fromEntries([...found].flatMap(([field, values]) => entriesOf(field, values)))
}

function valueIn(reader: BinaryReader, type: Field['type']): unknown {
  if (type === 'text') return reader.string()
  if (type === 'number') return Number(reader.int64())
  if (type === 'boolean') return reader.bool()
  if (type === 'bytes') return Buffer.from(reader.bytes()).toString('base64')
  const message = read(reader.bytes(), type)
  const form = FORMS[type.name]
  return form ? form.read(message) : message
}

/** As JSON has them. A zero stands for nothing, since Go writes every field that is no pointer. */
function entriesOf({ name, shape, keepsZero }: Field, values: unknown[]): [string, unknown][] {
  const last = values.at(-1)
  if (name === '...') return Object.entries(last ?? {})
  if (shape === 'list') return [[name, values]]
  if (shape === 'one') return last || (keepsZero && last !== undefined) ? [[name, last]] : []
  return [[name, Object.fromEntries(values.filter(isRecord).map(({ key = '', value }) => [key, value]))]]
}

function written(object: JsonRecord, message: Message): Uint8Array {
  const writer = new BinaryWriter()
  const names = namesOf(message)
  const unknown = Object.keys(object).find((name) => !names.includes(name))
  if (unknown !== undefined) throw lacking(`does not know field ${unknown} of ${message.name}`)
  for (const field of message.fields)
    for (const value of valuesOf(object, field)) {
      writer.tag(field.number, wireOf(field))
      if (field.type === 'text') writer.string(String(value))
      else if (field.type === 'number') writer.int64(BigInt(Number(value)))
      else if (field.type === 'boolean') writer.bool(value === true)
      else writer.bytes(bytesOf(value, field.type))
    }
  return writer.finish()
}

function bytesOf(value: unknown, type: 'bytes' | Message): Uint8Array {
  if (type === 'bytes') return Buffer.from(String(value), 'base64')
  const message = FORMS[type.name]?.write(value) ?? value
  return written(isRecord(message) ? message : {}, type)
}

/** The names of a message's fields in JSON. */
const namesOf = ({ fields }: Message): string[] =>
  fields.flatMap(({ name, type }) => (name === '...' && typeof type === 'object' ? namesOf(type) : name))

function valuesOf(object: JsonRecord, { name, shape, type }: Field): unknown[] {
  if (name === '...' && typeof type === 'object') {
    const inner = Object.entries(object).filter(([key]) => namesOf(type).includes(key))
    return inner.length > 0 ? [Object.fromEntries(inner)] : []
  }
  const value = object[name] ?? undefined
  if (value === undefined || shape === 'list') return list(object, name)
  return shape === 'one' ? [value] : Object.entries(value).map(([key, each]) => ({ key, value: each }))
}

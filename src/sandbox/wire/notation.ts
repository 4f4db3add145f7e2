import { MESSAGES } from './messages.ts'

export interface Message {
  /** As the API names it; within another message its field, as in `Deployment.spec`. */
  name: string
  fields: Field[]
}

export interface Field {
  number: number
  /** In JSON; `...` for a message whose fields stand there in place of it. */
  name: string
  /** A map is a list of messages with `key` and `value`. */
  shape: 'one' | 'list' | 'map'
  type: 'text' | 'number' | 'boolean' | 'bytes' | Message
  /** Whether its zero differs from its absence. */
  keepsZero: boolean
}

const FIELD = /^(?:(\d+)=)?(\.{3}|\w+)(\[\]|\{\})?([#!~]|:\w*)?(\?)?$/
const SCALARS: Readonly<Record<string, Field['type']>> = { '#': 'number', '!': 'boolean', '~': 'bytes' }

/** The messages of the table, by name. */
export const messages: ReadonlyMap<string, Message> = read(MESSAGES.match(/[()]|[^\s()]+/g) ?? [])

function read(tokens: string[]): Map<string, Message> {
  const known = new Map<string, Message>()
  const next = () => tokens.shift() ?? ''
  const named = (name: string): Message => {
    const message = known.get(name) ?? { name, fields: [] }
    known.set(name, message)
    return message
  }
  const filled = (message: Message): Message => {
    next()
    for (let token = next(); token !== ')'; token = next()) {
      const [, given, name = '', brackets, mark = '', zero] = FIELD.exec(token) ?? []
      const number = given ? Number(given) : (message.fields.at(-1)?.number ?? 0) + 1
      const inner = () => filled({ name: `${message.name}.${name}`, fields: [] })
      const type = tokens[0] === '(' ? inner() : typeOf(name, mark)
      const field: Field = { number, name, shape: 'one', type, keepsZero: zero !== undefined }
      if (brackets === '[]') field.shape = 'list'
      message.fields.push(brackets === '{}' ? mapOf(field) : field)
    }
    return message
  }
  const typeOf = (name: string, mark: string): Field['type'] =>
    mark.startsWith(':')
      ? named(mark.slice(1) || name.charAt(0).toUpperCase() + name.slice(1))
      : (SCALARS[mark] ?? 'text')
  while (tokens.length > 0) filled(named(next()))
  return known
}

function mapOf(field: Field): Field {
  const key: Field = { number: 1, name: 'key', shape: 'one', type: 'text', keepsZero: true }
  const value: Field = { ...key, number: 2, name: 'value', type: field.type }
  return { ...field, shape: 'map', type: { name: field.name, fields: [key, value] } }
}

import { readFileSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { isRecord } from '../domain/json-schema.ts'
import { messageOf } from '../process/errors.ts'

/** The types of values, in the words of a message. */
interface Values {
  readonly 'a text': string
  readonly 'a path': string
  readonly 'true or false': boolean
  readonly 'a list of texts': readonly string[] | null
  readonly 'a list of mappings': readonly Fields[] | null
  readonly 'a mapping': object
  readonly 'a mapping to lists': Readonly<Record<string, readonly string[]>> | null
}
type Types = Readonly<Record<string, keyof Values>>
type BodyOf<Of extends Types> = { readonly [Name in keyof Of]?: Values[Of[Name]] }

/** The fields that we use: null means absent, other fields are ignored. Paths are relative to the file. */
const FIELDS = {
  cluster: {
    server: 'a text',
    'certificate-authority': 'a path',
    'certificate-authority-data': 'a text',
    'insecure-skip-tls-verify': 'true or false',
    'tls-server-name': 'a text',
    'proxy-url': 'a text',
    extensions: 'a list of mappings',
  },
  user: {
    'client-certificate': 'a path',
    'client-certificate-data': 'a text',
    'client-key': 'a path',
    'client-key-data': 'a text',
    token: 'a text',
    tokenFile: 'a path',
    username: 'a text',
    password: 'a text',
    as: 'a text',
    'as-uid': 'a text',
    'as-groups': 'a list of texts',
    'as-user-extra': 'a mapping to lists',
    exec: 'a mapping',
    'auth-provider': 'a mapping',
  },
  context: { cluster: 'a text', user: 'a text', namespace: 'a text' },
} as const satisfies Readonly<Record<string, Types>>
const EXEC = {
  command: 'a text',
  args: 'a list of texts',
  env: 'a list of mappings',
  installHint: 'a text',
  provideClusterInfo: 'true or false',
} as const satisfies Types

/** A cluster of a kubeconfig, as read: its paths are absolute. */
export interface Cluster extends BodyOf<typeof FIELDS.cluster> {
  readonly server: string
  readonly extensions?: readonly { readonly name: string; readonly extension: unknown }[] | null
}

/** A user, as read: its paths are absolute. */
export interface User extends BodyOf<typeof FIELDS.user> {
  readonly exec?: ExecPlugin
  readonly 'auth-provider'?: { readonly name: string; readonly config?: object }
}

/** `exec` of a kubeconfig's user. */
export interface ExecPlugin extends BodyOf<typeof EXEC> {
  readonly apiVersion?: string
  readonly interactiveMode?: string
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null
}

interface Context extends BodyOf<typeof FIELDS.context> {
  readonly cluster: string
}

/** The content of one file, or of several merged: `file` names them all. The first of equal names counts. */
export interface KubeConfig {
  readonly file: string
  readonly currentContext: string | undefined
  readonly clusters: readonly Named<Cluster>[]
  readonly users: readonly Named<User>[]
  readonly contexts: readonly Named<Context>[]
}

export interface Named<Body> {
  readonly name: string
  readonly body: Body
}

/**
 * Reads one kubeconfig; undefined: the file does not exist. Throws an Error that names the file and the place of the
 * fault, and never quotes the file, since it holds secrets.
 */
export function readKubeConfig(file: string): KubeConfig | undefined {
  try {
    const config = parsed(readFileSync(file, 'utf8'))
    checkFields('', config, { 'current-context': 'a text' })
    const directory = dirname(resolve(file))
    return {
      file,
      currentContext: (config['current-context'] as string | null) || undefined,
      clusters: entriesOf<Cluster>(config, 'cluster', directory),
      users: entriesOf<User>(config, 'user', directory).map(({ name, body }) => ({
        name,
        body: withCommand(body, directory),
      })),
      contexts: entriesOf<Context>(config, 'context', directory),
    }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Error(`cannot load the kubeconfig ${file}: ${messageOf(cause)}`, { cause })
  }
}

type Fields = Readonly<Record<string, unknown>>

/** As kubectl: the first of several documents counts, keys may be merged (`<<`), and `kind` defaults to Config. */
function parsed(text: string): Fields {
  const [document] = parseAllDocuments(text, { merge: true })
  // From its second line on the message quotes the text, in which there may be a token.
  for (const { message } of document?.errors ?? []) throw new Error(message.replace(/:?\n[^]*/, ''))
  const config: unknown = document?.toJS() ?? {}
  if (!isRecord(config)) throw new Error('it is no kubeconfig')
  const { kind } = config
  if (typeof kind === 'string' && kind !== 'Config') throw new Error(`it is no kubeconfig, but a ${kind}`)
  return config
}

const CHECKS: Readonly<Record<keyof Values, (value: unknown) => boolean>> = {
  'a text': isText,
  'a path': isText,
  'true or false': (value) => typeof value === 'boolean',
  'a list of texts': isTexts,
  'a list of mappings': (value) => Array.isArray(value) && value.every(isRecord),
  'a mapping': isRecord,
  'a mapping to lists': (value) => isRecord(value) && Object.values(value).every(isTexts),
}

/** Throws an Error for the first field of a wrong type: `users[0]: token is a number: put it in quotes`. */
function checkFields(place: string, fields: Fields, types: Types): void {
  for (const [name, type] of Object.entries(types)) {
    const value = fields[name] ?? undefined
    if (value === undefined || CHECKS[type](value)) continue
    const isBare = type === 'a text' && typeof value !== 'object'
    throw new Error(`${place}${name} is ${isBare ? `a ${typeof value}: put it in quotes` : `not ${type}`}`)
  }
}

function entriesOf<Body>(config: Fields, field: keyof typeof FIELDS, directory: string): Named<Body>[] {
  const list = config[`${field}s`] ?? []
  if (!Array.isArray(list)) throw new Error(`${field}s is not a list`)
  return list.map((entry: unknown, index) => {
    const place = `${field}s[${index}]`
    if (!isRecord(entry) || !entry['name']) throw new Error(`${place}.name is missing`)
    checkFields(`${place}: `, entry, { name: 'a text', [field]: 'a mapping' })
    const body = { ...(entry[field] as Fields | null) }
    const types: Types = FIELDS[field]
    checkFields(`${place}: `, body, types)
    if (body['exec']) checkFields(`${place}: exec.`, body['exec'] as Fields, EXEC)
    for (const [name, type] of Object.entries(types))
      if (type === 'a path' && body[name]) body[name] = resolve(directory, body[name] as string)
    return { name: entry['name'] as string, body: body as Body }
  })
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText)
}

/** A command without a folder is looked up in PATH. */
function withCommand(user: User, directory: string): User {
  const { command } = user.exec ?? {}
  return command?.includes(sep)
    ? { ...user, exec: { ...user.exec, command: resolve(directory, command) } }
    : user
}

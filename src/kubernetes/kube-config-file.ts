import { readFileSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { messageOf } from '../service/process/errors.ts'
import { faultOfFields } from './kube-config-fields.ts'

/** Fields of a kubeconfig that we use, under their own names. Paths are absolute. */
export interface Cluster {
  readonly server: string
  readonly 'certificate-authority'?: string
  readonly 'certificate-authority-data'?: string
  readonly 'insecure-skip-tls-verify'?: boolean
  readonly 'tls-server-name'?: string
  readonly 'proxy-url'?: string
  readonly extensions?: readonly { readonly name: string; readonly extension: unknown }[] | null
}

export interface User {
  readonly 'client-certificate'?: string
  readonly 'client-certificate-data'?: string
  readonly 'client-key'?: string
  readonly 'client-key-data'?: string
  readonly token?: string
  readonly tokenFile?: string
  readonly username?: string
  readonly password?: string
  readonly as?: string
  readonly 'as-uid'?: string
  readonly 'as-groups'?: readonly string[] | null
  readonly 'as-user-extra'?: Readonly<Record<string, readonly string[]>> | null
  readonly exec?: ExecPlugin
  readonly 'auth-provider'?: { readonly name: string; readonly config?: object }
}

/** `exec` of a kubeconfig's user. */
export interface ExecPlugin {
  readonly apiVersion?: string
  readonly command?: string
  readonly args?: readonly string[] | null
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null
  readonly installHint?: string
  readonly interactiveMode?: string
  readonly provideClusterInfo?: boolean
}

interface Context {
  readonly cluster: string
  readonly user?: string
  readonly namespace?: string
}

/** What stands in one file, or several merged: `file` names them all. Of equal names the first counts. */
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
 * Reads one kubeconfig; undefined: there is no such file. Throws an Error that names the file and the place at fault, but
 * never quotes it, since it holds secrets.
 */
export function readKubeConfig(file: string): KubeConfig | undefined {
  try {
    const { clusters, users, contexts, ...rest } = parsed(readFileSync(file, 'utf8'))
    const directory = dirname(resolve(file))
    return {
      file,
      currentContext: rest['current-context'] || undefined,
      clusters: entriesOf(clusters, 'cluster', directory, ['certificate-authority']),
      users: entriesOf<User>(users, 'user', directory, ['client-certificate', 'client-key', 'tokenFile']).map(
        ({ name, body }) => ({ name, body: withCommand(body, directory) }),
      ),
      contexts: entriesOf(contexts, 'context', directory, []),
    }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Error(`cannot load the kubeconfig ${file}: ${messageOf(cause)}`, { cause })
  }
}

type Entries = readonly { readonly name: string; readonly [field: string]: unknown }[] | null

/** A kubeconfig whose fields, where they are there, are of their types. */
interface Parsed {
  readonly 'current-context'?: string | null
  readonly clusters?: Entries
  readonly users?: Entries
  readonly contexts?: Entries
}

/** As kubectl does: of several documents the first counts, keys may be merged (`<<`), and no `kind` is a Config. */
function parsed(text: string): Parsed {
  const [document] = parseAllDocuments(text, { merge: true })
  // After its first line the message quotes the text, in which there may be a token.
  for (const { message } of document?.errors ?? []) throw new Error(message.replace(/:?\n[^]*/, ''))
  const config: unknown = document?.toJS() ?? {}
  if (typeof config !== 'object' || config === null || Array.isArray(config))
    throw new Error('it is no kubeconfig')
  const { kind = 'Config' } = config as { kind?: unknown }
  if (typeof kind === 'string' && kind !== 'Config') throw new Error(`it is no kubeconfig, but a ${kind}`)
  const fault = faultOfFields(config)
  if (fault !== undefined) throw new Error(fault)
  return config
}

/** `paths` are the fields with a path, relative to `directory`. */
function entriesOf<Body>(
  list: Entries | undefined,
  field: 'cluster' | 'user' | 'context',
  directory: string,
  paths: readonly (keyof Body & string)[],
): Named<Body>[] {
  return (list ?? []).map((entry) => {
    const body = { ...(entry[field] as Record<string, string> | null) }
    for (const path of paths) if (body[path]) body[path] = resolve(directory, body[path])
    return { name: entry.name, body: body as Body }
  })
}

/** A command without a folder is looked for in PATH. */
function withCommand(user: User, directory: string): User {
  const { command } = user.exec ?? {}
  return command?.includes(sep)
    ? { ...user, exec: { ...user.exec, command: resolve(directory, command) } }
    : user
}

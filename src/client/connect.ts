import { readFile } from 'node:fs/promises'
import { UsageError, messageOf } from '../process/errors.ts'
import type { Credentials } from '../kubernetes/credentials.ts'
import type { InTurn } from '../kubernetes/exec-plugin.ts'
import type { ClusterObjects, Connection, Dormouse, KnownContext } from './ports.ts'
import { isLoopback, proxiesFor } from './proxies.ts'
import type { Terminal } from './terminal.ts'

interface Outside extends Pick<Terminal, 'clock' | 'environment' | 'stderr' | 'stopSignal'> {
  /** When a credential plugin may run; default: at once. */
  readonly inTurn?: InTurn
}

/**
 * The client's composition root: opens the adapter that the options name, and loads only that.
 * @throws UsageError; Error if no cluster is configured
 */
export async function connect(connection: Connection, outside: Outside): Promise<Dormouse> {
  return connection.server === undefined
    ? connectCluster(connection, outside)
    : connectServer({ ...connection, server: connection.server }, outside)
}

async function connectServer(
  { server, certificateAuthority, insecure = false }: Connection & { readonly server: string },
  { environment, stderr, stopSignal }: Outside,
): Promise<Dormouse> {
  if (!/^https?:\/\//i.test(server) || !URL.canParse(server))
    throw new UsageError(`--server: expected a URL such as https://dormouse.example, found '${server}'`)
  const token = (environment['DORMOUSE_TOKEN'] ?? '').trim()
  if (token === '')
    throw new UsageError(
      '--server needs a token: export DORMOUSE_TOKEN, such as one of kubectl create token NAME --audience dormouse',
    )
  if (!/^[\x21-\x7E]+$/.test(token))
    throw new UsageError('DORMOUSE_TOKEN has characters that no token has, such as the end of a line')
  const { protocol, hostname } = new URL(server)
  if (protocol === 'http:' && !isLoopback(hostname) && !insecure)
    throw new UsageError(
      `--server ${server}: plain HTTP, so that whoever is on the way could read your token: write https://, or add --insecure if you know the way`,
    )
  const tls = certificateAuthority === undefined ? {} : { ca: await pemOf(certificateAuthority) }
  const [{ HttpDormouse }, { NodeTransport }] = await Promise.all([
    import('./http/http-dormouse.ts'),
    import('./cluster/node-transport.ts'),
  ])
  const place = server.replace(/\/+$/, '').replace(/\/api\/v1$/, '')
  const known = { headers: { authorization: `Bearer ${token}` }, tls, tlsId: '' }
  const access = { server: new URL(`${place}/api/v1`), current: async () => known }
  const transport = new NodeTransport(access, proxiesFor(access.server, environment))
  const warn = (text: string) => void stderr.write(`warning: ${text}\n`)
  return new HttpDormouse({ place, transport, warn, signal: stopSignal })
}

async function pemOf(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(`--certificate-authority: ${messageOf(error)}`, { cause: error })
  })
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text
  throw new UsageError(`--certificate-authority: there is no certificate in PEM in ${file}`)
}

async function connectCluster(connection: Connection, outside: Outside): Promise<Dormouse> {
  const [{ credentials, transport, warn }, { ClusterDormouse }] = await Promise.all([
    reach(connection, outside),
    import('./cluster/cluster-dormouse.ts'),
  ])
  const { context, namespace } = credentials
  const { clock, stopSignal: signal } = outside
  const { patience } = connection
  // Waiting for others' logins is not the cluster's time. If it fails, the first call says so.
  if (patience !== undefined) await credentials.current().catch(() => undefined)
  return new ClusterDormouse({ transport, context, namespace, clock, warn, signal, patience })
}

/** The objects of the cluster that the options name. @throws UsageError; Error if no cluster is configured */
export async function openCluster(connection: Connection, outside: Outside): Promise<ClusterObjects> {
  const [{ credentials, transport }, { ApiObjects }] = await Promise.all([
    reach(connection, outside),
    import('./cluster/cluster-objects.ts'),
  ])
  return new ApiObjects(transport, credentials.context, outside.stopSignal)
}

/** All contexts of the kubeconfig that the options name. */
export async function contextsOf(
  { kubeconfig: file }: Connection,
  { environment }: Pick<Outside, 'environment'>,
): Promise<readonly KnownContext[]> {
  const { knownContexts } = await import('../kubernetes/kube-config.ts')
  return knownContexts({ file, environment })
}

async function reach(
  { kubeconfig: file, context, as, asGroup: asGroups, patience: isOneOfSeveral }: Connection,
  { environment, stderr, stopSignal: signal, inTurn }: Outside,
) {
  const [{ Credentials }, { NoSuchContext }] = await Promise.all([
    import('../kubernetes/credentials.ts'),
    import('../kubernetes/kube-config.ts'),
  ])
  const about = isOneOfSeveral === undefined ? '' : `${context}: `
  const warn = (text: string) => void stderr.write(`warning: ${about}${text}\n`)
  const logger = { warn: (_: unknown, text?: string) => warn(text ?? '') }
  // A person who logs in by a browser needs a while.
  const open = () =>
    new Credentials({
      source: { file, context, environment, as, asGroups },
      logger,
      patience: 120_000,
      // It may have to wait for others' turns, but nobody waits for one that hangs.
      ...(isOneOfSeveral !== undefined && { longestRun: 2 * isOneOfSeveral, failsFor: isOneOfSeveral }),
      inTurn,
      signal,
    })
  let credentials
  try {
    credentials = open()
  } catch (error) {
    if (!(error instanceof NoSuchContext) || context === undefined) throw error
    // Only all clusters together could say whether one is called so, and a change is for none that was guessed.
    const advice = `if a cluster is called so, list -A -o wide --contexts ${context} shows its context`
    throw new Error(`${error.message}; ${advice}`, { cause: error })
  }
  return { credentials, transport: await transportOf(credentials, environment), warn }
}

/** A kubeconfig with a proxy-url needs more than Node has by itself. */
async function transportOf(credentials: Credentials, environment: Outside['environment']) {
  if (credentials.proxy !== undefined) {
    const { HttpTransport } = await import('../kubernetes/http.ts')
    return new HttpTransport(credentials)
  }
  const { NodeTransport } = await import('./cluster/node-transport.ts')
  return new NodeTransport(credentials, proxiesFor(credentials.server, environment))
}

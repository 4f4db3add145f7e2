import { globMatcher } from '../domain/glob.ts'
import { counted } from '../domain/text.ts'
import { Refusal, UsageError, messageOf } from '../process/errors.ts'
import { clusterNames, withContext } from './cluster-names.ts'
import { AlreadyReported } from './commands/already-reported.ts'
import { merged } from './merged.ts'
import type { Connection, Dormouse, Found, KnownContext, Seen, Selection } from './ports.ts'
import type { Terminal } from './terminal.ts'
import { worded } from './text/local-time.ts'

/** Milliseconds that each of several clusters has for an answer. */
const PATIENCE = 10_000

/** One of the clusters that a command reads. */
export interface Cluster {
  /** Its context; undefined: it is the only one, and nothing names it. */
  readonly name: string | undefined
  readonly dormouse: Dormouse
  /** That of `-n`, or of the context. */
  readonly namespace: string
  /** The options that lead to it alone. */
  readonly options: Connection
}

type Reporting = Pick<Terminal, 'clock' | 'stderr' | 'stopSignal' | 'timezone'>

/**
 * The clusters that a command reads as one: each answers for itself, by its own settings. With `--contexts` one that
 * fails is a line on standard error, and the command fails only if all do; without, its failure is the command's.
 */
export class Clusters {
  readonly all: readonly Cluster[]
  /** Why a cluster had no answer, the last time that it had none. */
  readonly away = new Map<Cluster, string>()
  readonly #outside: Reporting

  constructor(all: readonly Cluster[], outside: Reporting) {
    this.all = all
    this.#outside = outside
  }

  /** Whether `--contexts` was given, so that texts and records name the cluster. */
  get areNamed(): boolean {
    return this.all.some(({ name }) => name !== undefined)
  }

  /** For messages: `cluster dev`, or `3 clusters`. */
  get place(): string {
    const [only] = this.all
    return only && !this.areNamed ? only.dormouse.place : counted(this.all.length, 'cluster')
  }

  /** Those in which a command looks without `-A`. */
  get namespaces(): ReadonlySet<string> {
    return new Set(this.all.map(({ namespace }) => namespace))
  }

  /** For messages: where a command has looked. */
  whereText({ allNamespaces }: { readonly allNamespaces?: true }): string {
    return allNamespaces ? 'in any namespace' : `in namespace ${[...this.namespaces].join(', ')}`
  }

  get notes(): string[] {
    return this.#said(({ notes }) => notes)
  }

  get unknowns(): string[] {
    return this.#said(({ unknowns }) => unknowns)
  }

  #said(of: (dormouse: Dormouse) => readonly string[]): string[] {
    return this.all.flatMap((cluster) =>
      of(cluster.dormouse).map((text) => inCluster(this.nameOf(cluster), text)),
    )
  }

  /** As people call a cluster, as far as that is known by now; undefined: nothing names it. */
  nameOf({ name }: Cluster): string | undefined {
    if (name === undefined) return undefined
    const called = this.all.map(({ name: context = '', dormouse }) => ({
      context,
      called: dormouse.clusterName,
    }))
    return clusterNames(called).get(name)
  }

  /** The same workloads with the name of their cluster, as far as it is known by now. */
  named<Each extends Found>(found: readonly Each[], cluster: Cluster): readonly Each[] {
    const clusterName = this.nameOf(cluster)
    if (cluster.name === undefined || clusterName === undefined) return found
    const names = { cluster: cluster.name, clusterName }
    return found.map((each) => Object.assign({}, each, names))
  }

  /** The answers of those that answer, in the order of `all`. @throws AlreadyReported if none does */
  async ask<Result>(act: (cluster: Cluster) => Promise<Result>): Promise<Result[]> {
    const [only] = this.all
    if (only && !this.areNamed) return [await act(only)]
    const answers = await Promise.allSettled(this.all.map(act))
    const errors = answers.map((answer) => (answer.status === 'rejected' ? answer.reason : undefined))
    const wrong = errors.find((error) => error instanceof UsageError)
    // A command line that is wrong everywhere is wrong.
    if (wrong && errors.every((error) => error !== undefined)) throw wrong
    for (const [place, cluster] of this.all.entries())
      if (errors[place] !== undefined) this.#report(cluster, errors[place])
    const done = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
    if (done.length === 0) throw new AlreadyReported('no cluster answers')
    return done
  }

  /** As `ask`, for workloads; each names its cluster. */
  async found(act: (cluster: Cluster) => Promise<readonly Found[]>): Promise<Found[]> {
    const all = await this.ask(async (cluster) => ({ cluster, found: await act(cluster) }))
    // Once all have answered: two may be called alike.
    return all.flatMap(({ cluster, found }) => this.named(found, cluster))
  }

  /** All as they are, then each change; a cluster whose watch fails is left out from then on. */
  async *watch(select: (cluster: Cluster) => Promise<Selection>): AsyncGenerator<Seen> {
    const { stopSignal } = this.#outside
    let left = this.all.length
    const watched = async function* (this: Clusters, cluster: Cluster): AsyncGenerator<Seen> {
      try {
        for await (const seen of cluster.dormouse.watch(await select(cluster), stopSignal))
          yield* this.named([seen], cluster)
      } catch (error) {
        if (!this.areNamed) throw error
        this.#report(cluster, error)
        left -= 1
      }
    }
    yield* merged(this.all.map((cluster) => watched.call(this, cluster)))
    if (left === 0) throw new AlreadyReported('no cluster answers')
  }

  /** @throws the reason why the command is to stop */
  #report(cluster: Cluster, error: unknown): void {
    const { clock, stderr, stopSignal, timezone: zone } = this.#outside
    stopSignal.throwIfAborted()
    const why = worded(whyAway(cluster.dormouse, error), { now: clock(), zone })
    this.away.set(cluster, why)
    stderr.write(`${inCluster(this.nameOf(cluster), why)}\n`)
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map(({ dormouse }) => dormouse.close()))
  }
}

/** `dev: Dormouse may not be installed`, where clusters are named. */
function inCluster(name: string | undefined, text: string): string {
  return name === undefined ? text : `${name}: ${text}`
}

/** Why a cluster has no answer, to follow its name. */
export function whyAway({ place }: Pick<Dormouse, 'place'>, error: unknown): string {
  const message = messageOf(error)
  const said = message.startsWith(place) ? message.slice(place.length).replace(/^:? /, '') : message
  return error instanceof Refusal && error.code === 'CLUSTER_UNAVAILABLE' ? `does not answer: ${said}` : said
}

/**
 * Opens the clusters of `--contexts`.
 * @throws UsageError for a pattern that no context matches; AlreadyReported if none can be opened
 */
export async function openClusters(
  options: Connection,
  outside: Reporting & Pick<Terminal, 'connect' | 'contexts'>,
): Promise<Clusters> {
  const { contexts = '', ...others } = options
  const { stderr } = outside
  const known = await outside.contexts(options)
  const { names, twins, doubtful } = chosenContexts(await inContexts(contexts, known, others, outside), known)
  const leftOut = (some: readonly string[]) =>
    some.length > 0 &&
    stderr.write(`note: left out, since another leads to the same cluster: ${some.join(', ')}\n`)
  leftOut(twins)
  const opened = await Promise.all(
    names.map(async (name): Promise<Cluster[]> => {
      const own = { ...others, context: name, patience: PATIENCE }
      try {
        const dormouse = await outside.connect(own)
        return [{ name, dormouse, namespace: options.namespace ?? dormouse.defaultNamespace, options: own }]
      } catch (error) {
        stderr.write(`${name}: ${messageOf(error)}\n`)
        return []
      }
    }),
  )
  const { all, twins: foundOut } = await withoutTwins(opened.flat(), doubtful)
  leftOut(foundOut)
  if (all.length === 0) throw new AlreadyReported('no cluster can be opened')
  return new Clusters(all, outside)
}

/** Asks clusters that may be the same, and closes all but the first of those that are. */
async function withoutTwins(opened: readonly Cluster[], doubtful: readonly (readonly string[])[]) {
  const ids = new Map(
    await Promise.all(
      opened.map(async ({ name = '', dormouse }) => {
        const isAsked = doubtful.some((names) => names.includes(name))
        const found = isAsked ? await dormouse.clusterIds?.().catch(() => []) : []
        return [name, new Set(found)] as const
      }),
    ),
  )
  const isSame = (a = '', b = '') =>
    doubtful.some((names) => names.includes(a) && names.includes(b)) &&
    !(ids.get(a) ?? new Set()).isDisjointFrom(ids.get(b) ?? new Set())
  const all: Cluster[] = []
  const twins: string[] = []
  for (const cluster of opened) {
    const before = all.find(({ name }) => isSame(name, cluster.name))
    if (!before) all.push(cluster)
    else {
      twins.push(`${cluster.name} (as ${before.name})`)
      await cluster.dormouse.close()
    }
  }
  return { all, twins }
}

/**
 * The globs, with those that match no context replaced by the contexts of the clusters that are called so by their
 * services. Only for such a glob all clusters are asked.
 */
async function inContexts(
  text: string,
  known: readonly KnownContext[],
  options: Connection,
  { connect }: Pick<Terminal, 'connect'>,
): Promise<string> {
  const globs = text.split(',').map((glob) => glob.trim())
  const isContext = (glob: string) => known.some(({ name }) => globMatcher([glob])(name))
  if (known.length === 0 || globs.every(isContext)) return text
  const called = await Promise.all(
    chosenContexts('*', known).names.map(async (context) => {
      try {
        const dormouse = await connect({ ...options, context, patience: PATIENCE })
        try {
          return { context, cluster: (await dormouse.whoami()).cluster }
        } finally {
          await dormouse.close()
        }
      } catch {
        return { context, cluster: null }
      }
    }),
  )
  const within = (glob: string) => {
    const matches = globMatcher([glob])
    const found = called.filter(
      ({ cluster, context }) =>
        cluster !== null && [cluster, withContext(cluster, context)].some((name) => matches(name)),
    )
    return found.length > 0 ? found.map(({ context }) => context) : [glob]
  }
  return globs.flatMap((glob) => (isContext(glob) ? [glob] : within(glob))).join(',')
}

/**
 * The contexts that match globs separated by commas, by name; of those with the same server and credentials the first
 * alone. `twins`: the others, as `dev-admin (as dev)`. `doubtful`: groups of names with the same server and other
 * credentials: they lead to one cluster, or to several behind one proxy.
 * @throws UsageError
 */
export function chosenContexts(
  text: string,
  known: readonly KnownContext[],
): { names: string[]; twins: string[]; doubtful: string[][] } {
  const globs = text.split(',').map((glob) => glob.trim())
  const sorted = known.toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
  for (const glob of globs) {
    const matches = globMatcher([glob])
    if (sorted.some(({ name }) => matches(name))) continue
    const there = sorted.map(({ name }) => name).join(', ')
    const advice = there === '' ? 'the kubeconfig has none' : `there are ${there}`
    throw new UsageError(`--contexts: '${glob}' matches no context, and no cluster's name; ${advice}`)
  }
  const first: KnownContext[] = []
  const twins: string[] = []
  for (const each of sorted.filter(({ name }) => globMatcher(globs)(name))) {
    const before = first.find(({ cluster, user }) => cluster === each.cluster && user === each.user)
    if (before) twins.push(`${each.name} (as ${before.name})`)
    else first.push(each)
  }
  const byCluster = [...Map.groupBy(first, ({ cluster }) => cluster).values()]
  const doubtful = byCluster.filter(({ length }) => length > 1).map((some) => some.map(({ name }) => name))
  return { names: first.map(({ name }) => name), twins, doubtful }
}

import pLimit from 'p-limit'
import { UsageError } from '../../process/errors.ts'
import { forPrograms, refuseNames, type Format } from '../output.ts'
import type { Dormouse, Found } from '../ports.ts'
import type { Cluster, Clusters } from '../several.ts'
import { printNotes, styleFor } from '../style.ts'
import { findTargets, isAbsent } from '../targets.ts'
import type { Terminal } from '../terminal.ts'
import { command } from '../text/advice.ts'
import { keyOfFound, type Style } from '../text/why.ts'
import { AlreadyReported } from './already-reported.ts'
import { ABREAST } from './for-each-workload.ts'

/** How a command shows a workload. */
export interface Showing {
  /** `why` is the answer about one workload: a name that several clusters have is refused. */
  readonly verb: 'status' | 'why'
  readonly text: (found: Found, style: Style) => string
  /** Adds what is asked for people alone: what programs get is the record as it is. */
  readonly ask?: (dormouse: Dormouse, found: Found) => Promise<Found>
}

/** The workload as the command shows it. */
export async function shownTo(
  output: Format | undefined,
  { ask }: Showing,
  dormouse: Dormouse,
  found: Found,
): Promise<Found> {
  const isForPeople = output === undefined || output === 'wide'
  return ask && isForPeople ? ask(dormouse, found) : found
}

interface Options {
  readonly selector: string | undefined
  readonly output: Format | undefined
}

/** A workload in one of the clusters, and the target that it was found by. */
interface Shown {
  readonly cluster: Cluster
  readonly target: string | undefined
  readonly found: Found
}

/** `status` and `why` over several clusters: each workload where it is, with the commands that lead there. */
export async function showInAll(
  terminal: Terminal,
  clusters: Clusters,
  targets: readonly string[],
  { selector, output }: Options,
  showing: Showing,
): Promise<void> {
  const { verb, text } = showing
  refuseNames(output)
  const styleOf = ({ options, dormouse }: Cluster) => styleFor(terminal, options, dormouse)
  const asked = await clusters.ask(async (cluster) => ({
    cluster,
    shown: await shownIn(cluster, targets, selector, (found) =>
      shownTo(output, showing, cluster.dormouse, found),
    ),
  }))
  const all = asked.flatMap(({ cluster, shown }) => {
    const found = clusters.named(shown.map((each) => each.found), cluster) // prettier-ignore
    return found.map((each, place) => ({ cluster, target: shown[place]?.target, found: each }))
  })
  if (verb === 'why') refuseAmbiguous(all, targets, ({ cluster, found }) =>
    command(styleOf(cluster).advice, verb, keyOfFound(found)),
  ) // prettier-ignore
  const missing = targets.filter((target) => !all.some((each) => each.target === target))
  const where = placesOf(clusters, asked.map(({ cluster }) => cluster)) // prettier-ignore
  for (const target of missing) terminal.stderr.write(`error: there is no workload ${target} in ${where}\n`)
  if (selector !== undefined && all.length === 0) terminal.stderr.write(`No workloads found in ${where}.\n`)
  printNotes(terminal, clusters)
  const serial = await forPrograms(output, all.map(({ found }) => found), true) // prettier-ignore
  terminal.stdout.write(serial ?? all.map(({ cluster, found }) => text(found, styleOf(cluster))).join('\n'))
  if (missing.length > 0) throw new AlreadyReported('not found')
}

/** Those of one cluster; a target that is not there is in another, perhaps. */
async function shownIn(
  cluster: Cluster,
  targets: readonly string[],
  labelSelector: string | undefined,
  asked: (found: Found) => Promise<Found>,
): Promise<Shown[]> {
  const { dormouse, namespace } = cluster
  const named = targets.map(async (target) => {
    const { keys } = await findTargets(dormouse, namespace, [target])
    return keys.map((key) => ({ target, key }))
  })
  const selected =
    labelSelector === undefined
      ? []
      : (await dormouse.list({ namespace, labelSelector })).map((found) => ({
          target: undefined,
          key: keyOfFound(found),
        }))
  const sought = [...selected, ...(await Promise.all(named)).flat()]
  const shown = await pLimit(ABREAST).map(sought, async ({ target, key }): Promise<Shown[]> => {
    try {
      return [{ cluster, target, found: await asked(await dormouse.get(key)) }]
    } catch (error) {
      if (isAbsent(error)) return []
      throw error
    }
  })
  return shown.flat()
}

/** @throws UsageError: a name that several clusters have, with the command for each */
function refuseAmbiguous(
  all: readonly Shown[],
  targets: readonly string[],
  typed: (shown: Shown) => string,
): void {
  for (const target of targets) {
    const found = all.filter((each) => each.target === target)
    if (found.length < 2) continue
    const names = found.map((each) => each.found.clusterName).join(', ')
    const commands = found.map((each) => `  ${typed(each)}`).join('\n')
    throw new UsageError(`${target} is in several clusters (${names}): write one of\n${commands}`)
  }
}

/** `namespace shop of dev, staging`. */
function placesOf(clusters: Clusters, some: readonly Cluster[]): string {
  const namespaces = [...new Set(some.map(({ namespace }) => namespace))]
  return `namespace ${namespaces.join(', ')} of ${some.map((each) => clusters.nameOf(each)).join(', ')}`
}

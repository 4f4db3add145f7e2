import { FaultProxy } from '../faults/fault-proxy.ts'
import type { Cluster } from './cluster.ts'
import { startNeighbour, type NeighbourWebhook } from './neighbour-webhook.ts'

/** What the tests take for granted of the world around Dormouse; `DORMOUSE_WORLD` turns each of it round. */
const TURNS = {
  policies: 'nothing but annotations of the workloads themselves has settings',
  neighbour: 'no other admission webhook is in the cluster',
  slow: 'the API server answers at once',
} as const
type Turn = keyof typeof TURNS

/** The names in `DORMOUSE_WORLD`, by commas. @throws Error that names those there are */
function turnsOf(text = ''): ReadonlySet<Turn> {
  const names = text.split(',').flatMap((name) => name.trim() || [])
  const unknown = names.filter((name) => !Object.hasOwn(TURNS, name))
  const known = Object.entries(TURNS).map(([name, assumption]) => `  ${name}: not that ${assumption}`)
  if (unknown.length > 0)
    throw new Error(`DORMOUSE_WORLD: ${unknown.join(', ')} is not known. There are:\n${known.join('\n')}`)
  return new Set(names as Turn[])
}

const turns = turnsOf(process.env['DORMOUSE_WORLD'])

/** Milliseconds by which calls and events are late. */
const LATE = 40

/** Settings that a configuration has beside those of a test, which come first. They manage none of its workloads. */
export function settingsAround(): Readonly<Record<string, unknown>> {
  if (!turns.has('policies')) return {}
  const elsewhere = { names: ['elsewhere-*'], selector: 'elsewhere' }
  return {
    calendars: { elsewhere: { dates: { '2026-12-24..2027-01-01': '', '2027-05-01': '9:00-14:00' } } },
    policies: [
      { name: 'elsewhere', namespaces: elsewhere, enabled: true, schedule: '7:00-20:00,Mon-Fri' },
      {
        name: 'dated',
        namespaces: { names: ['elsewhere-*'] },
        calendar: 'elsewhere',
        timezone: 'Asia/Tokyo',
      },
    ],
  }
}

/** What stands between Dormouse and a cluster: its kubeconfig; to be stopped once Dormouse has ended. */
export interface Between {
  readonly kubeconfig: string
  stop(): Promise<void>
}

export async function between({ dormouseKubeconfig }: Cluster): Promise<Between> {
  if (!turns.has('slow')) return { kubeconfig: dormouseKubeconfig, stop: async () => {} }
  const proxy = await FaultProxy.before(dormouseKubeconfig)
  proxy.onCall({ times: Infinity }, { type: 'delay', stage: 'before', milliseconds: LATE })
  proxy.onEvent({ times: Infinity }, { type: 'delay', milliseconds: LATE })
  return proxy
}

const neighbours = new Set<NeighbourWebhook>()

/** Puts beside Dormouse what is turned round of a real cluster. */
export async function settle(cluster: Cluster): Promise<void> {
  if (turns.has('neighbour')) neighbours.add(await startNeighbour(cluster.admin, LATE))
}

export async function clear(): Promise<void> {
  for (const neighbour of neighbours) neighbour.close()
  neighbours.clear()
}

/** A line for the end of the run; none where all is as usual. */
export function whichWorld(): string[] {
  return [...turns].map((turn) => `the world turned round (${turn}): not that ${TURNS[turn]}`)
}

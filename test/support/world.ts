import { FaultProxy } from '../faults/fault-proxy.ts'
import type { World } from './around.ts'
import { startNeighbour, type AdmissionServer } from './admission-server.ts'

/** The tests' assumptions about the world around Dormouse; `DORMOUSE_WORLD` reverses each. */
const TURNS = {
  policies: 'nothing but annotations of the workloads themselves has settings',
  neighbour: 'no other admission webhook is in the cluster',
  slow: 'the API server answers at once',
} as const
type Turn = keyof typeof TURNS

/** Milliseconds by which calls, events and reviews are late. */
const LATE = 40

/** They manage none of the tests' workloads. */
const POLICIES = {
  calendars: { elsewhere: { dates: { '2026-12-24..2027-01-01': '', '2027-05-01': '9:00-14:00' } } },
  policies: [
    {
      name: 'elsewhere',
      namespaces: { names: ['elsewhere-*'], selector: 'elsewhere' },
      enabled: true,
      schedule: '7:00-20:00,Mon-Fri',
    },
    { name: 'dated', namespaces: { names: ['elsewhere-*'] }, calendar: 'elsewhere', timezone: 'Asia/Tokyo' },
  ],
}

/** The world with the assumptions in `names` (separated by commas) reversed. @throws Error with the known names */
export function turned(quiet: World, names = ''): World {
  const turns = turnsOf(names)
  const neighbours = new Set<AdmissionServer>()
  return {
    settings: turns.has('policies') ? POLICIES : quiet.settings,
    async between(cluster) {
      if (!turns.has('slow')) return quiet.between(cluster)
      const proxy = await FaultProxy.before(cluster.dormouseKubeconfig)
      proxy.onCall({ times: Infinity }, { type: 'delay', stage: 'before', milliseconds: LATE })
      proxy.onEvent({ times: Infinity }, { type: 'delay', milliseconds: LATE })
      return proxy
    },
    async settle({ admin }) {
      if (turns.has('neighbour')) neighbours.add(await startNeighbour(admin, LATE))
    },
    clear() {
      for (const neighbour of neighbours) neighbour.close()
    },
    lines: [...turns].map((turn) => `the world turned round (${turn}): not that ${TURNS[turn]}`),
  }
}

function turnsOf(text: string): ReadonlySet<Turn> {
  const names = text.split(',').flatMap((name) => name.trim() || [])
  const unknown = names.filter((name) => !Object.hasOwn(TURNS, name))
  const known = Object.entries(TURNS).map(([name, assumption]) => `  ${name}: not that ${assumption}`)
  if (unknown.length > 0)
    throw new Error(`DORMOUSE_WORLD: ${unknown.join(', ')} is not known. There are:\n${known.join('\n')}`)
  return new Set(names as Turn[])
}

import { configurationOf } from '../../src/import/plan/configuration.ts'
import type { Cluster } from '../support/cluster.ts'
import { enforced, type Enforced } from '../support/enforced.ts'
import { ProgramClock } from '../support/program-clock.ts'
import { leftBy, type Tool } from '../import/plan/recording.ts'
import { LeftBehind } from './left-behind.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Objects cannot be created in the past, so the program's clock is ahead: as far as its first certificate reaches. */
const AGE = 46 * 7 * DAY
const CERTIFICATES = { leafLifetime: '8760h', caLifetime: '87600h', renewAt: 0.9 }
/** Nearly all that was recorded sleeps and wakes by this zone. */
const ZONE = 'Europe/Berlin'

/** A Sunday at 1:07 in UTC, by which objects created now are most of a year old. */
export function sundayNight(): number {
  const today = new Date(Date.now() + AGE)
  today.setUTCHours(1, 7, 0, 0)
  return today.getTime() - today.getUTCDay() * DAY
}

/** An hour of the Monday after that night, in the zone. */
export function onMonday(hour: number): number {
  const noon = sundayNight() - (HOUR + 7 * 60_000) + DAY + 12 * HOUR
  const inZone = new Intl.DateTimeFormat('en', { hour: 'numeric', hourCycle: 'h23', timeZone: ZONE })
  return noon + (hour - Number(inZone.format(noon))) * HOUR
}

/** The part of the configuration that an import prints, for a downscaler; for kube-green a policy that it meets. */
export function policiesOf(tool: Tool): {
  policies: readonly object[]
  excludeNamespaces: readonly string[]
} {
  if (tool !== 'kube-green') {
    const { policies, excludeNamespaces } = configurationOf(leftBy(tool), sundayNight())
    return { policies, excludeNamespaces }
  }
  const kinds = ['deployments', 'statefulsets', 'cronjobs']
  const hours = { enabled: true, schedule: '8:00-20:00,Mon-Fri', timezone: ZONE }
  const policy = { name: 'dev', namespaces: { names: ['kg-*'] }, workloads: { kinds }, ...hours }
  return { policies: [policy], excludeNamespaces: ['kube-green'] }
}

/** Dormouse in a cluster in which it is a Sunday night for it, all that the tests create is old, and a tool was there. */
export interface OldCluster {
  readonly on: () => Cluster
  readonly tool: Tool
  readonly here: Enforced
  readonly clock: ProgramClock
  readonly left: LeftBehind
}

export function inAnOldCluster(on: () => Cluster, tool: Tool, settings: object = {}): OldCluster {
  // It starts in the present: the API server would not believe in a certificate that it made in the future.
  const clock = new ProgramClock()
  const { excludeNamespaces = [], ...others } = settings as { excludeNamespaces?: readonly string[] }
  const here = enforced(on, {
    preload: clock.preload,
    certificates: CERTIFICATES,
    excludeNamespaces,
    settings: { timezone: ZONE, ...others },
  })
  const left = new LeftBehind(on, tool, clock)
  before('it is Sunday night', () => clock.moveTo(sundayNight() - Date.now()))
  after('what was left goes', async function () {
    this.timeout(240_000)
    clock.remove()
    await left.remove()
  })
  return { on, tool, here, clock, left }
}

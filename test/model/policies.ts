import type { ConfiguredPolicy } from '../../src/domain/policy/configured.ts'
import type { Dates } from '../../src/domain/schedule/calendar.ts'
import { DAY } from '../support/rules.ts'

/** All namespaces of scenarios are named so. */
export const PREFIX = 'model-'
/** The label of a Namespace that says which policies of the configuration reach it. */
export const ENVIRONMENT = 'env'
/** `prod` is reached by none. */
export const ENVIRONMENTS = ['dev', 'test', 'prod'] as const

/** Awake for two thirds of each hour. */
const MOST_OF_EACH_HOUR = Array.from({ length: 24 }, (_, hour) => `${hour}:00-${hour}:40`).join(';')

const of = (environment: string) => ({ names: [`${PREFIX}*`], selector: `${ENVIRONMENT}=${environment}` })

/** The policies of all scenarios: who is under one is decided by labels, which change. */
export const POLICIES: readonly ConfiguredPolicy[] = [
  { name: 'by-hand', namespaces: of('dev'), workloads: { selector: 'team=b' }, autoWake: false },
  {
    name: 'dev',
    namespaces: of('dev'),
    workloads: { kinds: ['deployments', 'statefulsets', 'daemonsets', 'cronjobs'] },
    enabled: true,
    schedule: MOST_OF_EACH_HOUR,
  },
  { name: 'test', namespaces: of('test'), enabled: true, schedule: '8:00-20:00', calendar: 'thirds' },
]

/** Days that a scenario's clock may reach, from the day before it begins: more than a world is ever played. */
const DAYS = 260

/** Each third day has no hours, each second one others than the schedule; around now, since scenarios begin now. */
export function calendarsAround(now: number): Readonly<Record<string, { readonly dates: Dates }>> {
  const today = Math.floor(now / DAY)
  const dates = (every: number, hours: string): Dates => {
    const chosen = Array.from({ length: DAYS }, (_, day) => today - 1 + day).filter(
      (day) => day % every === 0,
    )
    return Object.fromEntries(chosen.map((day) => [new Date(day * DAY).toISOString().slice(0, 10), hours]))
  }
  return { thirds: { dates: dates(3, '') }, halves: { dates: dates(2, '9:00-14:00') } }
}

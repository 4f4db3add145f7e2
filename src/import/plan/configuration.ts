import type { Instant } from '../../process/clock.ts'
import type { Left } from './downscaler-plan.ts'
import { saysTimes, wantedBy } from './downscaler.ts'
import { INHERITING_KINDS } from '../../domain/policy/configured.ts'
import { entryFor, kindNamed, rowOf } from './kinds.ts'
import { matchesAny } from './program.ts'

/** The part of a program's arguments and environment that belongs into Dormouse's configuration, in its own words. */
export interface ImportedConfiguration {
  readonly policies: readonly ImportedPolicy[]
  readonly excludeNamespaces: readonly string[]
  /** The tasks left to a person, a sentence each. */
  readonly byHand: readonly string[]
}

export interface ImportedPolicy {
  readonly name: string
  readonly namespaces: { readonly names: readonly string[] }
  readonly workloads: { readonly kinds: readonly string[] }
  readonly enabled?: boolean
  readonly schedule?: string
  readonly timezone?: string
  readonly autoWake?: boolean
  readonly asleepReplicas?: number
}

/** Flags with something to do about them: what that is. */
const OTHERS: Readonly<Record<string, string>> = {
  'dry-run': 'the tool put nothing to sleep, and Dormouse does',
  'grace-period': 'set newWorkloadGrace, which is for all (docs/configuration.md)',
  'deployment-time-annotation': 'newWorkloadGrace counts from the creation alone',
  'admission-controller':
    'its policies go on refusing Jobs: kubectl delete policies -A -l origin=kube-downscaler (Gatekeeper: constraints)',
}

/** The settings for every workload without its own, as one policy. */
export function configurationOf(left: Left, now: Instant): ImportedConfiguration {
  const { dialect, program } = left
  const kinds = program.resources.flatMap((each) => rowOf(kindNamed(each)).sleepsAs ?? [])
  const wanted = wantedBy(dialect, { workload: {}, namespace: {}, program }, now)
  // py-kube-downscaler keeps workloads without hours awake, which needs no policy.
  const isEnabling = wanted.enabled && saysTimes(program)
  const settings = {
    enabled: true,
    schedule: wanted.schedule,
    timezone: wanted.timezone,
    ...(!wanted.autoWake && { autoWake: false }),
    ...(wanted.asleepReplicas !== undefined && { asleepReplicas: wanted.asleepReplicas }),
  }
  const policy: ImportedPolicy = {
    name: 'imported',
    namespaces: { names: program.namespaces.length > 0 ? program.namespaces : ['*'] },
    workloads: { kinds },
    ...(isEnabling && settings),
  }
  // DaemonSets, CronJobs and configured kinds inherit from their Namespace only if a policy names them.
  const isNeeded = isEnabling || kinds.some((each) => !INHERITING_KINDS.includes(each))
  const names = left.namespaces.map(({ metadata }) => metadata.name)
  // If a policy put the tool itself to sleep, it would wake with its workloads and act beside Dormouse.
  const isLeftOut = (name: string) => name === left.home || matchesAny(program.excludedNamespaces, name)
  return {
    policies: isNeeded ? [policy] : [],
    excludeNamespaces: names.filter(isLeftOut),
    byHand: [
      ...(wanted.refused === undefined ? [] : [`its defaults: ${wanted.refused}`]),
      ...wanted.differs,
      ...program.resources.flatMap((each) => {
        const { apiVersion, sleepsAs, needsNoPolicy = 'Dormouse does not know them' } = rowOf(kindNamed(each))
        const unread = apiVersion === undefined ? '; those that sleep stay so: wake them by hand' : ''
        const entry = entryFor(kindNamed(each))
        if (entry !== undefined) return [`${each}: add ${entry} to kinds, if it is not there (docs/kinds.md)`]
        return sleepsAs === undefined ? [`${each}: ${needsNoPolicy}${unread}`] : []
      }),
      ...Object.entries(program.others).map(([flag, value]) => {
        const shown = value === 'true' ? flag : `${flag}=${value}`
        return `--${shown}: ${OTHERS[flag] ?? 'Dormouse has nothing of the kind'}`
      }),
    ],
  }
}

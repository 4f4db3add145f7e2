/** Settings of one place: a workload's or a Namespace's annotations below `downscaler/`, or a program's, by the same keys. */
export type Settings = Readonly<Record<string, string>>

/** The settings in the arguments and environment of a downscaler's Deployment. */
export interface Program {
  /** By the keys of annotations: `uptime`, `downscale-period`. */
  readonly args: Settings
  readonly env: Settings
  readonly zone?: string
  readonly days?: string
  /** Namespaces that it works in; empty: all. */
  readonly namespaces: readonly string[]
  readonly excludedNamespaces: readonly string[]
  readonly excludedNames: readonly string[]
  /** Patterns of `name=value`, of which a workload has to have one; empty: it needs none. */
  readonly labels: readonly string[]
  /** It leaves alone what does not say `exclude: "false"`. */
  readonly needsInclusion: boolean
  /** Plural names: `deployments`. */
  readonly resources: readonly string[]
  /** Flags whose meaning Dormouse has no setting for. */
  readonly others: readonly string[]
}

const ARGS: Readonly<Record<string, string>> = {
  'default-uptime': 'uptime',
  'default-downtime': 'downtime',
  'upscale-period': 'upscale-period',
  'downscale-period': 'downscale-period',
  'downtime-replicas': 'downscale-replicas',
}

const ENV: Readonly<Record<string, string>> = {
  DEFAULT_UPTIME: 'uptime',
  DEFAULT_DOWNTIME: 'downtime',
  UPSCALE_PERIOD: 'upscale-period',
  DOWNSCALE_PERIOD: 'downscale-period',
  DOWNTIME_REPLICAS: 'downscale-replicas',
}

const LISTS = ['namespace', 'exclude-namespaces', 'exclude-deployments', 'include-resources']
/** Settings of how it runs, not of what it does. */
const HOW = [
  'interval',
  'once',
  'debug',
  'json-logs',
  'dry-run',
  'grace-period',
  'deployment-time-annotation',
  'leader-election',
  'max-retries-on-conflict',
  'qps',
  'burst',
  'api-server-timeout',
  'backpressure-interval',
  'metrics',
]

/** Reads `--default-uptime=…`, `--default-uptime …` and the environment. */
export function programOf(args: readonly string[], env: Settings): Program {
  const flags = flagsOf(args)
  const list = (flag: string, variable: string) =>
    (flags[flag] ?? env[variable] ?? '')
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== '')
  const resources = list('include-resources', 'INCLUDE_RESOURCES')
  return {
    args: renamed(flags, ARGS),
    env: renamed(env, ENV),
    ...(env['DEFAULT_TIMEZONE'] && { zone: env['DEFAULT_TIMEZONE'] }),
    ...(env['DEFAULT_WEEKFRAME'] && { days: env['DEFAULT_WEEKFRAME'] }),
    namespaces: list('namespace', 'NAMESPACE'),
    excludedNamespaces: list('exclude-namespaces', 'EXCLUDE_NAMESPACES'),
    excludedNames: list('exclude-deployments', 'EXCLUDE_DEPLOYMENTS'),
    labels: list('matching-labels', 'MATCHING_LABELS'),
    needsInclusion: (flags['explicit-include'] ?? 'false') !== 'false',
    resources: resources.length === 0 ? ['deployments'] : resources,
    others: Object.keys(flags).filter(
      (flag) => !(flag in ARGS) && !LISTS.includes(flag) && !HOW.includes(flag),
    ),
  }
}

function flagsOf(args: readonly string[]): Settings {
  const flags: Record<string, string> = {}
  args.forEach((each, index) => {
    const [, name, value] = /^--?([a-z][a-z-]*)(?:=(.*))?$/s.exec(each) ?? []
    if (name === undefined) return
    const next = args[index + 1]
    flags[name] = value ?? (next !== undefined && !next.startsWith('-') ? next : 'true')
  })
  return flags
}

function renamed(from: Settings, names: Readonly<Record<string, string>>): Settings {
  return Object.fromEntries(
    Object.entries(names).flatMap(([theirs, key]) => {
      const value = from[theirs]
      return value === undefined || value === '' ? [] : [[key, value]]
    }),
  )
}

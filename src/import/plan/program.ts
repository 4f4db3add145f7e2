/** Settings of one place, by their keys in annotations below `downscaler/`: `uptime`, `downscale-period`. */
export type Settings = Readonly<Record<string, string>>

/** The settings in the arguments and environment of a downscaler's Deployment. */
export interface Program {
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

/** The settings that arguments give for all workloads. Each has a variable in capitals, too: `DEFAULT_UPTIME`. */
const DEFAULTS: Settings = {
  'default-uptime': 'uptime',
  'default-downtime': 'downtime',
  'upscale-period': 'upscale-period',
  'downscale-period': 'downscale-period',
  'downtime-replicas': 'downscale-replicas',
}

/** Arguments that an import takes as lists, and arguments that say how the program runs, not what it does. */
const UNDERSTOOD =
  'namespace exclude-namespaces exclude-deployments include-resources ' +
  'interval once debug json-logs dry-run grace-period deployment-time-annotation leader-election ' +
  'max-retries-on-conflict qps burst api-server-timeout backpressure-interval metrics'

/** Reads `--default-uptime=…`, `--default-uptime …` and the environment. */
export function programOf(args: readonly string[], env: Settings): Program {
  const flags = flagsOf(args)
  const list = (flag: string) =>
    (flags[flag] ?? env[variableOf(flag)] ?? '')
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== '')
  const defaults = (valueOf: (flag: string) => string | undefined) =>
    Object.fromEntries(
      Object.entries(DEFAULTS)
        .map(([flag, key]) => [key, valueOf(flag) ?? ''] as const)
        .filter(([, value]) => value !== ''),
    )
  const resources = list('include-resources')
  const understood = new Set([...Object.keys(DEFAULTS), ...UNDERSTOOD.split(' ')])
  return {
    args: defaults((flag) => flags[flag]),
    env: defaults((flag) => env[variableOf(flag)]),
    ...(env['DEFAULT_TIMEZONE'] && { zone: env['DEFAULT_TIMEZONE'] }),
    ...(env['DEFAULT_WEEKFRAME'] && { days: env['DEFAULT_WEEKFRAME'] }),
    namespaces: list('namespace'),
    excludedNamespaces: list('exclude-namespaces'),
    excludedNames: list('exclude-deployments'),
    labels: list('matching-labels'),
    needsInclusion: (flags['explicit-include'] ?? 'false') !== 'false',
    resources: resources.length === 0 ? ['deployments'] : resources,
    others: Object.keys(flags).filter((flag) => !understood.has(flag)),
  }
}

function variableOf(flag: string): string {
  return flag.toUpperCase().replaceAll('-', '_')
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

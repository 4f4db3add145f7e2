import type { Dialect } from './spans.ts'

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
  readonly excludedNamespaces: readonly RegExp[]
  readonly excludedNames: readonly RegExp[]
  /** Patterns of `name=value`, of which a workload has to have one; empty: it needs none. */
  readonly labels: readonly RegExp[]
  /** It leaves alone what does not say `exclude: "false"`. */
  readonly needsInclusion: boolean
  /** Plural names: `deployments`. */
  readonly resources: readonly string[]
  /** Flags without a setting of ours that means the same, with their values: `true` where they have none. */
  readonly others: Settings
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
  'interval once debug d json-logs leader-election enable-events k metrics ' +
  'max-retries-on-conflict max-retries-on-throttling qps burst api-server-timeout backpressure-interval'

/** Flags that py-kube-downscaler reads from the environment, too. */
const BY_ENVIRONMENT = ['grace-period', 'admission-controller']

/** Reads `--default-uptime=…`, `--default-uptime …` and the environment, as the program does that has this grammar. */
export function programOf(args: readonly string[], env: Settings, dialect: Dialect): Program {
  const isPy = dialect === 'py'
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
  const patterns = (flag: string) => list(flag).map((each) => patternOf(isPy ? `^(?:${each})$` : each))
  const resources = list('include-resources')
  const namespaces = list('namespace')
  const variables = (isPy ? BY_ENVIRONMENT : []).map((flag) => [flag, env[variableOf(flag)] ?? ''] as const)
  const understood = new Set([...Object.keys(DEFAULTS), ...UNDERSTOOD.split(' ')])
  return {
    args: defaults((flag) => flags[flag]),
    env: defaults((flag) => env[variableOf(flag)]),
    ...(env['DEFAULT_TIMEZONE'] && { zone: env['DEFAULT_TIMEZONE'] }),
    ...(env['DEFAULT_WEEKFRAME'] && { days: env['DEFAULT_WEEKFRAME'] }),
    namespaces,
    // py-kube-downscaler does not look at this list where it has the other one.
    excludedNamespaces: isPy && namespaces.length > 0 ? [] : patterns('exclude-namespaces'),
    excludedNames: isPy
      ? list('exclude-deployments').map((each) => new RegExp(`^${each.replace(/[^\w-]/g, '\\$&')}$`))
      : patterns('exclude-deployments'),
    labels: patterns('matching-labels'),
    needsInclusion: (flags['explicit-include'] ?? 'false') !== 'false',
    resources: resources.length === 0 ? ['deployments'] : resources,
    others: Object.fromEntries(
      [...variables, ...Object.entries(flags)].filter(
        ([flag, value]) => !understood.has(flag) && !['', 'false'].includes(value),
      ),
    ),
  }
}

export function matchesAny(patterns: readonly RegExp[], text: string): boolean {
  return patterns.some((each) => each.test(text))
}

/** A pattern that we cannot read matches nothing. */
function patternOf(text: string): RegExp {
  try {
    return new RegExp(text)
  } catch {
    return /(?!)/
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

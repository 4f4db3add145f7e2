import { Option, type Command } from 'commander'
import { loadConfig, type Config } from '../service/config/config.ts'
import type { Calendars } from '../domain/schedule/calendar.ts'
import { counted } from '../domain/text.ts'
import type { Instant } from '../process/clock.ts'
import { createLogger } from '../process/logger.ts'
import { ZONE_DATA } from '../process/zone-data.ts'
import type { ClusterForecast } from '../wiring/check.ts'
import { checkText } from './check-text.ts'
import { actOn, KUBECONFIG, onCluster } from './on-cluster.ts'
import type { CliPorts } from './program.ts'
import { readCheckedFile } from './checked-file.ts'
import { keptIn, NOT_SIGNED } from '../wiring/key-places.ts'

interface Options {
  readonly againstCluster?: true
  readonly at?: string
  readonly context?: string
  readonly kubeconfig?: string
  readonly output: 'text' | 'json'
}

/** `dormouse check config.yaml`: shows the effect of a configuration before it is used. */
export function registerCheck(program: Command, ports: CliPorts): void {
  const { stdout, stderr, clock } = ports
  program
    .command('check')
    .helpGroup('Set up:')
    .description('Check a configuration, and foretell what it would do to a cluster; changes nothing')
    .argument('<file>', 'YAML configuration, or a rendered chart; -: standard input')
    .option('--against-cluster', 'which workloads it would manage, and which would be asleep now, and why')
    .option(
      '--at <time>',
      "the same at that time if nobody acts until then: 22:00, 'mon 21:00', 2026-11-24T18:00Z",
    )
    .option('--context <name>', 'context of the kubeconfig; default: the current one')
    .option(...KUBECONFIG)
    .addOption(
      new Option('-o, --output <format>', 'json has every workload')
        .choices(['text', 'json'])
        .default('text'),
    )
    .addHelpText(
      'after',
      () =>
        `\nExamples:\n  ${program.name()} check config.yaml\n  ${program.name()} check config.yaml --against-cluster --context staging\n  ${program.name()} check config.yaml --at 'mon 21:00'\n  helm template … | ${program.name()} check -`,
    )
    .action(async (given: string, options: Options) => {
      const at = options.at === undefined ? undefined : await timeOf(options.at, ports)
      const { name: file, text } = await readCheckedFile(given)
      const config = loadConfig({ text, file, environment: ports.environment })
      const { readCalendars } = await import('../wiring/calendars.ts')
      const calendars = await readCalendars(config, clock, createLogger('silent', ports.logDestination))
      const warnings = [
        ...widePolicies(config),
        ...unusable(config, calendars),
        ...noticesOf(calendars),
        ...unsigned(config),
      ]
      const isJson = options.output === 'json'
      const sums = { policies: config.policies.length, calendars: Object.keys(config.calendars).length }
      if (!isJson) {
        const { policies, calendars: named } = sums
        const what = `${policyCount(policies)}, ${counted(named, 'calendar')}`
        stdout.write(`${file} is valid: ${what}; zone data ${ZONE_DATA}\n`)
        for (const warning of warnings) stderr.write(`warning: ${warning}\n`)
      }
      const isAsked = options.againstCluster === true || at !== undefined
      const cluster = isAsked && (await forecastOf(config, calendars, { ...options, at }, ports))
      if (isJson)
        stdout.write(
          `${JSON.stringify({ file, ...sums, zoneData: ZONE_DATA, warnings, cluster: cluster ? inJson(cluster) : null }, null, 2)}\n`,
        )
      else if (cluster) stdout.write(`\n${checkText(cluster, ports.timezone)}`)
      const found = cluster ? findings(cluster) : undefined
      // Its exit code is 1.
      if (found !== undefined) throw new Error(found)
    })
}

/** @throws UsageError */
async function timeOf(text: string, { clock, timezone }: CliPorts): Promise<Instant> {
  const { comingInstant } = await import('../domain/schedule/coming-instant.ts')
  return comingInstant('--at', text, clock(), timezone)
}

/**
 * The number of faults in the cluster to repair; undefined: none. Checks that were not possible from here are no
 * faults: another account, or another machine, may have the right.
 */
function findings({ invalid, needed, stranded }: ClusterForecast): string | undefined {
  const found = [
    invalid.length > 0 && counted(invalid.length, 'invalid setting'),
    needed.length > 0 && `${counted(needed.length, 'workload')} that the API server needs`,
    stranded.length > 0 && `${counted(stranded.length, 'sleeper')} in excluded namespaces`,
  ].filter((each) => each !== false)
  return found.length === 0 ? undefined : `found ${found.join(' and ')}`
}

function policyCount(count: number): string {
  return count === 1 ? '1 policy' : `${count} policies`
}

/** Policies that manage the workloads of every namespace. */
function widePolicies({ policies }: Config): string[] {
  return policies.flatMap(({ name, enabled, namespaces, workloads }) => {
    const isWide = namespaces.names?.some((glob) => /^\*+$/.test(glob)) && namespaces.selector === null
    return enabled === true && isWide && (workloads?.selector ?? null) === null ? [wide(name)] : []
  })
}

function wide(policy: string): string {
  return (
    `policy ${policy} manages every namespace but the excluded ones: ingress controllers, DNS, sign-in, registries and ` +
    'monitoring would sleep, too. Choose by namespaces.selector or workloads.selector; --against-cluster shows what it takes'
  )
}

/** Calendars whose files cannot be read here; where Dormouse runs they may be. */
function unusable({ calendars }: Config, known: Calendars): string[] {
  return Object.keys(calendars).flatMap((name) => {
    const found = known.find(name)
    return typeof found === 'string' ? [`calendar ${name}: ${found}`] : []
  })
}

/** The parts of calendar files that do not count. */
function noticesOf(calendars: Calendars & { notices(name: string): string[] }): string[] {
  return calendars.names.flatMap((name) => calendars.notices(name).map((each) => `calendar ${name}: ${each}`))
}

function unsigned(config: Config): string[] {
  return keptIn(config) ? [] : [NOT_SIGNED]
}

/** With its time in ISO 8601. */
function inJson(cluster: ClusterForecast): object {
  return { ...cluster, at: new Date(cluster.at).toISOString() }
}

async function forecastOf(
  config: Config,
  calendars: Calendars,
  options: Pick<Options, 'kubeconfig' | 'context'> & { at: Instant | undefined },
  ports: CliPorts,
) {
  const { ClusterCheck } = await import('../wiring/check.ts')
  const check = new ClusterCheck({ ...onCluster(config, options, ports), calendars })
  return await actOn(check.cluster, ports, () => check.forecast(options.at))
}

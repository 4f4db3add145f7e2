import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Command, InvalidArgumentError } from 'commander'
import { controlPlanePrograms } from '../test/control-plane/build.ts'
import { made } from '../docs/generator/make.ts'
import { keepResult, machine } from './report/results.ts'
import { rowOf } from './report/row.ts'
import { textTable } from './report/table.ts'
import type { Context, Scenario } from './scenario.ts'
import { SCENARIOS } from './scenarios/all.ts'

// `npm run bench`: measures Dormouse and its comparisons in the same run.

interface Options {
  readonly rounds: number
  readonly workloads?: readonly number[]
  readonly quick: boolean
}

/** Further programs, each about one question; they print their own figures. */
const SPECIAL: Readonly<Record<string, string>> = {
  controller: 'the controller alone, without a cluster',
  'forged-scalings': 'how many reads of the cluster forged reviews cause',
  peers: 'the same waves by programs of others, which are built elsewhere',
  'silent-connections': 'what thousands of connections cost that never send anything',
  'webhook-flood': 'how forged reviews of the largest size delay real ones',
}

const minutes = SCENARIOS.reduce((sum, scenario) => sum + scenario.minutes, 0)
const program = new Command('bench')
  .description(`Measures Dormouse beside raw clients. Without a scenario: all, in about ${minutes} minutes`)
  .helpCommand(false)
  .action((_options, command: Command) => run(SCENARIOS, command.opts()))
  .option('--quick', 'small numbers, to see that it works')
  .option('--rounds <number>', 'how often what alternates is measured; default 5', whole)
  .option('--workloads <numbers>', 'such as 1000,5000; default: what each scenario says', wholes)
for (const scenario of SCENARIOS) {
  const about = `${scenario.about} (about ${scenario.minutes} min)`
  program
    .command(scenario.name)
    .description(about)
    .action((_options, command: Command) => run([scenario], command.optsWithGlobals()))
}
for (const [name, about] of Object.entries(SPECIAL)) {
  const command = program.command(name).description(`apart: ${about}`).argument('[args...]')
  command.allowUnknownOption().action((args: string[]) => special(name, args))
}
// Ends the started programs with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
await program.parseAsync()

async function run(scenarios: readonly Scenario[], options: Partial<Options>): Promise<void> {
  const { quick = false, rounds = quick ? 1 : 5, workloads } = options
  const context: Context = { programs: await controlPlanePrograms(say), quick, rounds, workloads, say }
  for (const scenario of scenarios) await measured(scenario, context)
}

async function measured(scenario: Scenario, context: Context): Promise<void> {
  const { name, minutes, about } = scenario
  const { quick } = context
  say(`${name}: ${about}${quick ? '' : `, about ${minutes} min`}`)
  const begun = Date.now()
  try {
    const { rows: found, growth = [] } = await scenario.run(context)
    const rows = found.map(rowOf)
    const seconds = Math.round((Date.now() - begun) / 1000)
    const load = Number(loadavg()[0]?.toFixed(1))
    const date = new Date().toISOString().slice(0, 10)
    await keepResult(name, { date, quick, seconds, load, machine: machine(), rows, growth })
    await made()
    process.stdout.write(`\n${name}, ${seconds} s${quick ? ', QUICK' : ''}\n${textTable(rows)}\n\n`)
  } catch (error) {
    // The others may be measured all the same.
    process.exitCode = 1
    say(`${name} could not be measured: ${error instanceof Error ? error.stack : String(error)}`)
  }
}

async function special(name: string, args: readonly string[]): Promise<void> {
  const file = fileURLToPath(new URL(`special/${name}.ts`, import.meta.url))
  const flags = name === 'controller' ? ['--expose-gc'] : []
  const child = spawn(process.execPath, [...flags, file, ...args], { stdio: 'inherit' })
  const [code] = (await once(child, 'exit')) as [number | null]
  process.exitCode = code ?? 1
}

function say(line: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`)
}

function whole(text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('a whole number from 1 on')
  return value
}

function wholes(text: string): number[] {
  return text.split(',').map(whole)
}

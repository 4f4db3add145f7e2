import { Command } from 'commander'
import { nearestName } from '../../domain/nearest.ts'
import type { CommandName } from '../../domain/requests/operations.ts'
import { UsageError } from '../../process/errors.ts'
import type { Terminal } from '../../client/terminal.ts'

/** Registers one or more commands. */
type Register = (program: Command, terminal: Terminal) => void

interface Entry {
  /** Its place in the help. */
  readonly group: 'See:' | 'Act:' | 'Set up:'
  readonly description: string
  readonly load: () => Promise<Register>
}

const requests = () => import('../../client/commands/requests.ts').then((module) => module.registerRequests)
const settings = () => import('../../client/commands/settings.ts').then((module) => module.registerSettings)
const shows = () => import('../../client/commands/shows.ts')

/**
 * Every command, in the order of the help. Only the requested command is loaded, so that it starts at once; its further
 * modules are loaded when it connects.
 */
const COMMANDS = {
  list: {
    group: 'See:',
    description: 'Show the workloads of a namespace: which sleep, why, and what comes next',
    load: () => import('../../client/commands/list.ts').then((module) => module.registerList),
  },
  why: {
    group: 'See:',
    description: 'Say why a workload is awake or asleep, who did it, what comes next, and what changes it',
    load: () => shows().then((module) => module.registerWhy),
  },
  status: {
    group: 'See:',
    description: 'Show all that is known of a workload, with its history',
    load: () => shows().then((module) => module.registerStatus),
  },
  plan: {
    group: 'See:',
    description: 'Show when a workload will wake and sleep in the coming week',
    load: () => shows().then((module) => module.registerPlan),
  },
  savings: {
    group: 'See:',
    description: 'Show what sleep saved in the last week, by namespace or team: requested, not billed',
    load: () => import('../../client/commands/savings.ts').then((module) => module.registerSavings),
  },
  console: {
    group: 'See:',
    description: 'Open a page in the browser that shows all this, with buttons',
    load: () => import('./console.ts').then((module) => module.registerConsole),
  },
  wake: { group: 'Act:', description: 'Wake workloads, or keep them awake for a time', load: requests },
  snooze: { group: 'Act:', description: 'Put workloads to sleep', load: requests },
  pin: { group: 'Act:', description: 'Hold workloads as they are', load: requests },
  unpin: { group: 'Act:', description: 'Let pinned workloads go', load: requests },
  override: {
    group: 'Act:',
    description: 'Switch the schedule off, for a time or for good',
    load: requests,
  },
  resume: { group: 'Act:', description: 'Clear an override: the schedule counts again', load: requests },
  enable: { group: 'Set up:', description: 'Have Dormouse manage workloads', load: settings },
  disable: { group: 'Set up:', description: 'Have Dormouse leave workloads alone', load: settings },
  schedule: {
    group: 'Set up:',
    description: 'Change the hours in which workloads run',
    load: settings,
  },
  explain: {
    group: 'Set up:',
    description: 'Show how a schedule is read, and when it next wakes and puts to sleep',
    load: () => import('./explain.ts').then((module) => module.registerExplainCommand),
  },
  check: {
    group: 'Set up:',
    description: 'Check a configuration, and foretell what it would do to a cluster',
    load: () => import('./check.ts').then((module) => module.registerCheckCommand),
  },
  import: {
    group: 'Set up:',
    description: 'Take over what another tool manages in this cluster, asleep as it is',
    load: () => import('../../import/command.ts').then((module) => module.registerImport),
  },
  completion: {
    group: 'Set up:',
    description: 'Print the script by which a shell completes the commands',
    load: () => import('../../client/commands/completion.ts').then((module) => module.registerCompletion),
  },
  version: {
    group: 'Set up:',
    description: 'Show the versions of this program and of the service in the cluster',
    load: () => import('../../client/commands/version.ts').then((module) => module.registerVersion),
  },
} as const satisfies Record<string, Entry> & Record<CommandName, Entry>

export const VERBS = Object.keys(COMMANDS) as readonly (keyof typeof COMMANDS)[]
/** Other names that people try. */
export const ALIASES: Readonly<Record<string, keyof typeof COMMANDS>> = {
  ls: 'list',
  get: 'list',
  open: 'wake',
  start: 'wake',
  up: 'wake',
  sleep: 'snooze',
  stop: 'snooze',
  down: 'snooze',
  describe: 'status',
}

/**
 * The program with the command that the arguments name; with all their names and nothing more for its help.
 * @throws UsageError for a command that there is not
 */
export async function programFor(
  args: readonly string[],
  version: string,
  terminal: Terminal,
): Promise<Command> {
  const { stdout, stderr } = terminal
  const program = new Command(terminal.program)
    .description('Shows which workloads sleep and why, wakes them and puts them to sleep')
    .version(version)
    .exitOverride()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .addHelpCommand(helpCommand('Set up:'))
    .showHelpAfterError('(add --help to see how it is used)')
    .addHelpText('after', `\n${terminal.program} <command> --help says more of a command.`)
  const [verb] = args
  if (verb !== undefined && isVerb(verb)) {
    const register = await COMMANDS[verb].load()
    register(program, terminal)
    return program
  }
  describeVerbs(program)
  if (verb !== undefined && !verb.startsWith('-') && verb !== 'help')
    throw new UsageError(unknownVerb(verb, terminal))
  return program
}

/** `help COMMAND`, in a group of its program's help. */
export function helpCommand(group: string): Command {
  return new Command('help').description('Show the help of a command').argument('[command]').helpGroup(group)
}

export function isVerb(text: string): text is keyof typeof COMMANDS {
  return Object.hasOwn(COMMANDS, text)
}

function unknownVerb(verb: string, { program }: Terminal): string {
  const meant = (Object.hasOwn(ALIASES, verb) ? ALIASES[verb] : undefined) ?? nearestName(verb, VERBS)
  const advice =
    meant === undefined ? `${program} --help lists them all` : `did you mean ${program} ${meant}?`
  return `there is no command '${verb.slice(0, 40)}': ${advice}`
}

/** Adds their names and descriptions in groups, for the help of a program that may have others of its own. */
export function describeVerbs(program: Command, except: readonly string[] = []): void {
  for (const name of VERBS.filter((each) => !except.includes(each)))
    program.command(name).description(COMMANDS[name].description).helpGroup(COMMANDS[name].group)
}

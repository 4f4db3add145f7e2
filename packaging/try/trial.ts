import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { TrialCluster } from './cluster.ts'
import {
  ACTING,
  AWAKE,
  OF_CLIENT,
  OF_EACH,
  OF_SERVICE,
  OVER_HTTP,
  READ,
  READING,
  TAKEN,
  type Line,
  type Story,
} from './commands.ts'
import {
  CLIENT,
  nameOf,
  run,
  runnerOf,
  SERVICE,
  sourcesIn,
  sourcesNamed,
  type Ended,
  type Program,
  type Runner,
  type Surroundings,
} from './program.ts'
import { alike } from './alike.ts'

/** A command of the table, and how a program ended with it. */
export interface Outcome extends Ended {
  readonly line: Line
  /** The place where it was typed, which tells equal lines apart. */
  readonly namespace: string
}

/** How many commands run at once: most of the time of one is Node's start. */
const ABREAST = 3
const SOURCES: Program = [process.execPath, SERVICE]
const CONFIG = {
  policies: [{ name: 'office', namespaces: { names: ['reading'] }, schedule: AWAKE }],
}

/** The lines that are the same for all programs, as the sources carry them out. */
export async function asFromSources(): Promise<Outcome[]> {
  return shared(sourcesIn, SOURCES)
}

/** The differences of a program from the sources, a text each; and how many commands were tried. */
export async function tried(
  program: Program,
  fromSources: readonly Outcome[],
): Promise<{ commands: number; faults: string[] }> {
  const has = (word: string) =>
    inFolder(async (folder) => (await run(program, [word, '--help'], { folder, variables: {} })).code === 0)
  const isService = await has('key-pair')
  const sandbox = (await has('sandbox')) ? program : SOURCES
  const lines = [...OF_EACH, ...(isService ? OF_SERVICE : OF_CLIENT)]
  const [found, own, wanted] = await Promise.all([
    shared((around) => runnerOf(program, around), sandbox),
    inFolder((folder) => alone(program, lines, folder)),
    inFolder(async (folder) => {
      const file = isService ? SERVICE : CLIENT
      return alone(await sourcesNamed(nameOf(program), file, folder), lines, folder)
    }),
  ])
  const [all, expected] = [
    [...found, ...own],
    [...fromSources, ...wanted],
  ]
  return { commands: all.length, faults: all.flatMap((each, index) => faultsOf(each, expected[index])) }
}

/** Exit codes that are not those of the table. */
export function wrongCodes(outcomes: readonly Outcome[]): string[] {
  return outcomes.flatMap((each) => faultsOf(each, each))
}

/** In which a command ended otherwise than the table says, and than the sources did. */
export function faultsOf(found: Outcome, wanted: Outcome | undefined): string[] {
  const { line, namespace, code, stderr } = found
  const title = `${line.typed === '' ? '(nothing)' : line.typed} [${namespace}]`
  if (code !== line.code) return [`${title}: ended with ${code}, not ${line.code}: ${ends(stderr)}`]
  if (!wanted) return [`${title}: the sources did not run it`]
  return (['stdout', 'stderr'] as const).flatMap((stream) => {
    // Any of several workloads may be done first, which messages tell.
    const difference = alike(wanted[stream], found[stream], stream === 'stdout' && !line.isAsDone)
    return difference === undefined ? [] : [`${title}: ${stream}: ${difference}`]
  })
}

/** The last words, of which the reason is one. */
function ends(text: string): string {
  return text.trim().slice(-400)
}

/** Runs the lines that all programs share, in a sandbox of their own. */
async function shared(runnerIn: (around: Surroundings) => Runner, sandbox: Program): Promise<Outcome[]> {
  return inFolder(async (folder) => {
    const cluster = await TrialCluster.start(sandbox, { folder, variables: {} })
    const variables = { KUBECONFIG: cluster.kubeconfig, DORMOUSE_TOKEN: cluster.token }
    const runner = runnerIn({ folder, variables })
    const limit = pLimit(ABREAST)
    const type = (line: Line, namespace: string) =>
      limit(async (): Promise<Outcome> => {
        const words = wordsOf(line.typed.replace('$SERVER', cluster.api))
        const where = takesNamespace(words) ? [...words, '-n', namespace] : words
        return { line, namespace, ...(await runner.run(where, line.isEndless)) }
      })
    const told = async ({ namespace, lines }: Story) => {
      await cluster.addNamespace(namespace)
      const outcomes: Outcome[] = []
      for (const line of lines) {
        await cluster.settled(namespace)
        outcomes.push(await type(line, namespace))
      }
      return outcomes
    }
    try {
      await writeConfigurations(folder)
      const arranged = await told(READ)
      await cluster.settled(READ.namespace)
      const read = await Promise.all(READING.map((line) => type(line, READ.namespace)))
      const acted = await Promise.all([...ACTING, OVER_HTTP].map(told))
      const taken: Outcome[] = []
      for (const { recording, lines } of TAKEN) {
        await cluster.addRecording(recording)
        for (const line of lines) {
          if (line.typed.endsWith('--partial')) await cluster.stopTool(recording)
          taken.push(await type(line, recording))
        }
      }
      return [...arranged, ...read, ...acted.flat(), ...taken]
    } finally {
      await Promise.all([runner.stop(), cluster.stop()])
    }
  })
}

/** Runs lines that need no cluster one after the other: what one writes another reads. */
async function alone(program: Program, lines: readonly Line[], folder: string): Promise<Outcome[]> {
  await writeConfigurations(folder)
  const outcomes: Outcome[] = []
  for (const line of lines)
    outcomes.push({
      line,
      namespace: '',
      ...(await run(program, wordsOf(line.typed), { folder, variables: {} })),
    })
  return outcomes
}

async function writeConfigurations(folder: string): Promise<void> {
  await writeFile(join(folder, 'config.yaml'), JSON.stringify(CONFIG))
  await writeFile(join(folder, 'wrong.yaml'), 'timezone: Europe/Berln\npolicy: []\n')
}

/** A folder with nothing in it, outside the project: nothing is found in its node_modules. */
async function inFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'dormouse-try-'))
  try {
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The words of a line as a shell splits them; `'…'` is one. */
export function wordsOf(typed: string): string[] {
  return [...typed.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word)
}

function takesNamespace(words: readonly string[]): boolean {
  const [verb = ''] = words
  return (
    !['check', 'import', 'version', '__complete'].includes(verb) &&
    !words.includes('-A') &&
    !words.includes('-n') &&
    !words.includes('--help')
  )
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT } from '../support/dormouse.ts'
import { readMark, type Block } from './pages.ts'

/** Commands that the suite does not run again: they run the suite, or another test runs them. */
const ELSEWHERE: readonly { readonly line: RegExp; readonly by: string }[] = [
  { line: /^npm ci$/, by: '.ci/run, by npm cit' },
  { line: /^npm cit$/, by: '.ci/run' },
  { line: /^npm ci && npm start$/, by: '.ci/run and test/e2e/command-line.test.ts' },
  { line: /^npx kubectl-dormouse sandbox\b/, by: 'test/packaging/client.test.ts' },
  { line: /^npm start\b/, by: 'test/e2e/command-line.test.ts' },
  { line: /^npm (test|run (check|test:long))$/, by: '.ci/run, and by hand' },
]

const program = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as {
  scripts: Record<'serve', string>
  bin: Record<'dormouse', string>
  version: string
}

/** The program's own. */
export const VERSION = program.version

/** A replacement for a reader's command, and why it is needed. */
export interface Instead {
  readonly typed: RegExp
  readonly run: string
  readonly why: string
}

const INSTEAD: readonly Instead[] = [
  {
    typed: /oci:\/\/ghcr\.io\/dormouse-dev\/charts\/dormouse/g,
    run: 'charts/dormouse',
    why: 'the chart of this checkout: no OCI registry is in reach',
  },
  {
    typed: /(?<=^|\| )npm run -s dormouse -- /gm,
    run: `node ${program.bin.dormouse} `,
    why: 'npm finds the same program, a second later: tried once, in test/docs/blocks.test.ts',
  },
  {
    typed: /^npm run serve -- (.*)$/gm,
    // Ready once it has printed its line; it ends with the terminal.
    run: `{ ${program.scripts.serve} $1 --json >served & }; until [ -s served ]; do kill -0 $!; sleep 0.1; done`,
    why: 'in the background, on free ports, until the end of the page',
  },
]

/** A block as the tests run it. */
export interface Commands {
  readonly block: Block
  readonly script: string
  /** Lines that something else runs, with its name. */
  readonly elsewhere: readonly { readonly line: string; readonly by: string }[]
  readonly instead: readonly string[]
}

/** Writes a file that the page shows, so that its commands find it. */
function written(block: Block, file: string): Commands {
  const end = 'end of the file'
  return { block, script: `cat >${file} <<'${end}'\n${block.text}\n${end}`, elsewhere: [], instead: [] }
}

/** The commands to run of a block; the script is empty if there are none. */
export function commandsOf(block: Block): Commands {
  const file = readMark(block, 'file')
  if (file !== undefined) return written(block, file)
  const lines = block.text.split('\n').map((line) => {
    const typed = line.replace(/\s+#.*$/, '').trim()
    return { line, by: ELSEWHERE.find((each) => each.line.test(typed))?.by }
  })
  const own = lines.filter(({ by }) => by === undefined).map(({ line }) => line)
  const { script, instead } = replaced(own.join('\n'), INSTEAD)
  const elsewhere = lines.flatMap(({ line, by }) => (by === undefined ? [] : [{ line: line.trim(), by }]))
  return { block, script: script.trim(), elsewhere, instead }
}

/** The script with replacements, and why each was made. */
export function replaced(script: string, all: readonly Instead[]): Pick<Commands, 'script' | 'instead'> {
  const instead = all.filter(({ typed }) => script.search(typed) >= 0)
  const changed = instead.reduce((text, { typed, run }) => text.replaceAll(typed, run), script)
  return { script: changed, instead: instead.map(({ why }) => why) }
}

/** The place in which a block runs: the sandbox, unless its mark names another place or it needs Helm. */
export function placeOf({ block, script }: Commands): Place {
  const mark = readMark(block, 'runs on')
  if (mark !== undefined && !PLACES.includes(mark as Place))
    throw new TypeError(`${block.page}:${block.line}: runs on: ${PLACES.join(', ')}; found ${mark}`)
  if (mark !== undefined) return mark as Place
  return /^helm /m.test(script) ? WITH_HELM : 'the sandbox'
}

export const WITH_HELM = 'a cluster with Helm'
const PLACES = ['the sandbox', 'a real API server', WITH_HELM] as const
export type Place = (typeof PLACES)[number]

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)/g
const ID = /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/g
const AGE = /(?<= )(?=\d+[dhms])(?:\d+d)?(?:\d+h)?(?:\d+m)?(?:\d+s)?(?= )/g

/** The text without its times, ids, ages and column widths. */
function masked(text: string): string {
  return text
    .replaceAll(TIME, '<time>')
    .replaceAll(ID, '<id>')
    .replaceAll(AGE, '<age>')
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/ $/gm, '')
    .trim()
}

/** Whether the output is as the page shows it; `…` matches anything. */
export function shows(expected: string, printed: string, how: 'exactly' | 'masked'): boolean {
  const form = how === 'exactly' ? (text: string) => text.trim() : masked
  const parts = form(expected).split('…')
  const pattern = parts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`))
  return new RegExp(`^${pattern.join('[\\s\\S]*')}$`).test(form(printed))
}

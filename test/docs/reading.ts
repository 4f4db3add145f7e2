import { expect } from 'chai'
import { commandsOf, placeOf, shows, WITH_HELM, type Commands, type Place } from './commands.ts'
import { blocks, pages, readMark, type Block } from './pages.ts'
import type { Shell } from './shell.ts'

const SHELLS = ['sh', 'bash', 'shell', 'console']

/** Every fenced block of the documentation. */
export const everything = pages().flatMap(blocks)

export function isShell({ language }: Block): boolean {
  return SHELLS.includes(language)
}

/** Commands that are marked as not run. */
export const left = everything.filter((block) => isShell(block) && readMark(block, 'not run') !== undefined)

/** Commands that are run, and the files that they find. */
export const rest = everything
  .filter((block) => (isShell(block) && !left.includes(block)) || readMark(block, 'file') !== undefined)
  .map(commandsOf)

/** Blocks that need Helm are slow: one that several pages have is run once. */
export const twice = new Map(
  rest
    .filter((each) => placeOf(each) === WITH_HELM)
    .map((each) => [each, rest.find(({ script }) => script === each.script) ?? each] as const)
    .filter(([each, first]) => each !== first),
)

/** How the blocks of one place are run. */
export interface Reader {
  terminal(): Promise<Shell>
  run(script: string, terminal: Shell, expected: 'success' | 'failure'): ReturnType<Shell['run']>
}

export function where({ page, line }: Block): string {
  return `${page}:${line}`
}

/** The output that a page shows under a block. */
function shown(block: Block): Block | undefined {
  const output = everything.find(({ follows }) => follows === block)
  return output && readMark(output, 'output') !== undefined ? output : undefined
}

async function runs({ block, script }: Commands, reader: Reader, terminal: Shell): Promise<void> {
  const fails = readMark(block, 'fails') !== undefined
  const { code, output } = await reader.run(script, terminal, fails ? 'failure' : 'success')
  if (fails) expect(code, `${where(block)} was to fail:\n${output}`).to.not.equal(0)
  else expect(code, `${where(block)} failed:\n${script}\n${output}`).to.equal(0)
  const expected = shown(block)
  // curl ends with 0 also when the API refuses.
  if (!fails && !expected?.text.includes('"success":false'))
    expect(output, where(block)).to.not.include('"success":false')
  if (expected === undefined) return
  const how = readMark(expected, 'output') === 'exactly' ? 'exactly' : 'masked'
  expect(shows(expected.text, output, how), `${where(block)} prints:\n${output}`).to.equal(true)
}

/** Tests all blocks that run in a place; each page has a terminal of its own. */
export function readAll(place: Place, reader: () => Reader): void {
  const files = rest.filter(({ block }) => readMark(block, 'file') !== undefined)
  const here = rest.filter(
    (each) => each.script !== '' && !files.includes(each) && !twice.has(each) && placeOf(each) === place,
  )
  for (const [page, commands] of Map.groupBy(here, ({ block }) => block.page)) {
    describe(page, () => {
      let terminal: Shell | undefined
      before('a terminal', async () => {
        terminal = await reader().terminal()
        for (const { block, script } of files) if (block.page === page) await terminal.run(script)
      })
      after('is closed', async () => {
        await terminal?.stop()
      })
      for (const each of commands) {
        const [first] = each.script.split('\n')
        it(`line ${each.block.line}: ${first}`, () => runs(each, reader(), terminal!))
      }
    })
  }
}

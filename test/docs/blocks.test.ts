import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { loadConfig } from '../../src/service/config/config.ts'
import { PROJECT } from '../support/dormouse.ts'
import { print } from '../support/figures.ts'
import { runProgram } from '../support/kubectl.ts'
import { shows, VERSION } from './commands.ts'
import { page, pages, readMark } from './pages.ts'
import { everything, isShell, left, rest, twice, where } from './reading.ts'

describe('the commands of the documentation', () => {
  it('are run, or are marked with the reason why not', () => {
    print([
      ...left.map((block) => `not run: ${where(block)}: ${readMark(block, 'not run')}`),
      ...rest.flatMap(({ block, elsewhere }) =>
        elsewhere.map(({ line, by }) => `run elsewhere: ${where(block)}: ${line} (${by})`),
      ),
      ...rest.flatMap(({ block, instead }) => instead.map((why) => `run otherwise: ${where(block)}: ${why}`)),
      ...Array.from(twice, ([{ block }, first]) => `run once: ${where(block)}: as ${where(first.block)}`),
    ])
    for (const block of left)
      expect(readMark(block, 'not run'), where(block)).to.match(
        /^needs (Argo CD|Flux|KEDA|cert-manager|an OCI registry|a release)$/,
      )
  })

  it('never call for npx dormouse: outside of this checkout that is a package of somebody else', async () => {
    const notes = await readFile(join(PROJECT, 'charts', 'dormouse', 'templates', 'NOTES.txt'), 'utf8')
    for (const { path, text } of [...pages(), { path: 'NOTES.txt', text: notes }])
      expect(text, path).to.not.match(/npx (?:-\S+ )*dormouse/)
  })

  it('find the program by npm', async function () {
    this.timeout(180_000)
    const args = ['run', '-s', 'dormouse', '--', '--version']
    const { code, stdout } = await runProgram('npm', args, { cwd: PROJECT })
    expect({ code, stdout }).to.deep.equal({ code: 0, stdout: `${VERSION}\n` })
  })

  it('call no shell function by the name of the program', () => {
    const called = everything.filter(({ text }) => /^dormouse(?:\(\)| -[XG]| "?\$)/m.test(text))
    expect(called.map(where)).to.deep.equal([])
  })

  it('of the sandbox for newcomers name its context, so that none reaches another cluster', () => {
    const { text } = page('docs/quick-start.md')
    const section = text.slice(text.indexOf('## In a sandbox'), text.indexOf('## On a cluster'))
    const commands = section.match(/^kubectl .*$/gm) ?? []
    expect(commands).to.have.length.above(2)
    for (const command of commands) expect(command).to.match(/^kubectl .*--context dormouse-sandbox( |$)/m)
  })

  it('are judged by what they print, times and ids apart', () => {
    const shown = 'NAME AGE\nweb 9d 3\n{"at":"2026-11-21T19:51:45Z",…}'
    const printed = (count: number) =>
      `NAME   AGE\nweb    12s   ${count}\n{"at":"2027-01-01T00:00:00.123Z","more":1}\n`
    expect(shows(shown, printed(3), 'masked')).to.equal(true)
    expect(shows(shown, printed(4), 'masked'), 'another count').to.equal(false)
    expect(shows(shown, `${printed(3)}error`, 'masked'), 'more than is shown').to.equal(false)
    expect(shows('at 18:00', 'at 19:00', 'exactly')).to.equal(false)
  })

  it('have outputs that are compared', () => {
    const unmarked = everything.filter(
      ({ language, follows, marks }) =>
        language === 'text' && follows && isShell(follows) && marks.length === 0,
    )
    expect(unmarked.map(where), 'mark them with <!-- output -->').to.deep.equal([])
  })
})

describe('the configurations of the documentation', () => {
  for (const block of everything.filter((each) => readMark(each, 'configuration') !== undefined)) {
    it(`${where(block)} is one that Dormouse takes`, () => {
      loadConfig({ text: block.text, environment: {}, options: [], presets: [] })
    })
  }

  it('YAML that is shown is YAML', () => {
    for (const { language, text } of everything) if (language === 'yaml') parse(text)
  })
})

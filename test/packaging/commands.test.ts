import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { npmPackage } from '../../packaging/client.ts'
import { alike } from '../../packaging/try/alike.ts'
import { ALL } from '../../packaging/try/commands.ts'
import { bareEnvironment } from '../../packaging/try/program.ts'
import { faultsOf, wordsOf, wrongCodes } from '../../packaging/try/trial.ts'
import { programFor, VERBS } from '../../src/cli/people/catalogue.ts'
import { FORMATS } from '../../src/client/output.ts'
import { processTerminal } from '../../src/client/process-terminal.ts'
import { describeWith, moreTime } from '../suite/need.ts'
import { runProgram } from '../support/kubectl.ts'
import { packedTrial } from './packed-trial.ts'

const PATIENCE = 900_000

describe('the table of commands', () => {
  const typed = ALL.map((line) => wordsOf(line.typed))

  it('names every command, in every output that it has', async () => {
    const terminal = processTerminal(process, 'dormouse', new AbortController().signal)
    for (const verb of VERBS) {
      const lines = typed.filter(([first]) => first === verb)
      expect(lines, verb).not.to.deep.equal([])
      const program = await programFor([verb], '', terminal)
      const own = program.commands.find((command) => command.name() === verb)
      const output = own?.options.find(({ long }) => long === '--output')
      const formats = output === undefined ? [] : (output.argChoices ?? FORMATS)
      // The other one of the choices is the default.
      for (const format of formats.filter((each) => each !== 'text'))
        expect(
          lines.some((words) => words[words.indexOf('-o') + 1] === format && words.includes('-o')),
          `${verb} -o ${format}`,
        ).to.equal(true)
      expect(
        lines.some((words) => !words.includes('-o')),
        verb,
      ).to.equal(true)
    }
  })

  it('compares all but times, addresses and the name that a program was started by', () => {
    const before = 'web  asleep since Mon 8:00 (13m ago)\nkubectl dormouse wake web\n'
    expect(alike(before, 'web asleep since 17:04 (2h ago)\ndormouse wake web\n', true)).to.equal(undefined)
    expect(alike(before, before.replace('asleep', 'awake'), true)).to.include('line 1 ')
    expect(alike(before, `${before}more\n`, true)).to.include('line 3 ')
    expect(alike('one\ntwo\n', 'two\none\n', false)).to.equal(undefined)
    expect(alike('one\ntwo\n', 'two\none\n', true)).to.include('line 1 ')
  })

  it('takes several workloads in any order where each is told once it is done, and lists as they are', () => {
    const faults = (sought: string) => {
      const line = ALL.find(({ typed }) => typed === sought)
      if (!line) throw new Error(`no line ${sought}`)
      const ended = { line, namespace: 'shop', code: line.code, stderr: '' }
      return faultsOf({ ...ended, stdout: 'db\nweb\n' }, { ...ended, stdout: 'web\ndb\n' })
    }
    expect(faults('enable --all --yes')).to.deep.equal([])
    expect(faults('disable --all --yes -o name')).to.have.length(1)
    expect(faults('list')).to.have.length(1)
  })
})

// The program of the image and the executable are in `test/long/packed.test.ts`.
describeWith(moreTime, 'every command in every output', function () {
  this.timeout(PATIENCE)
  const trial = packedTrial()

  it('of the sources, ends with the exit code of the table', () => {
    expect(wrongCodes(trial.fromSources)).to.deep.equal([])
  })

  it('of the npm package, installed where nothing else is, is as from the sources', async () => {
    const [made, empty] = [join(trial.folder, 'made'), join(trial.folder, 'empty')]
    await mkdir(empty)
    await npmPackage(made)
    const options = { env: bareEnvironment({ folder: empty, variables: {} }), cwd: empty }
    const packed = await runProgram('npm', ['pack', made, '--json'], options)
    expect(packed.code, packed.stderr).to.equal(0)
    const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }]
    const how = ['install', '--offline', '--no-audit', '--no-fund', `./${filename}`]
    const installed = await runProgram('npm', how, options)
    expect(installed.code, installed.stderr).to.equal(0)
    await trial.doesAsTheSources([join(empty, 'node_modules', '.bin', 'kubectl-dormouse')])
  })
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testEnvironment } from './suite/environment.ts'
import type { Need } from './suite/need.ts'
import { OF_ALL, OF_LONG, provideAll } from './suite/needs.ts'
import { dealtOut } from './suite/order.ts'
import { Progress } from './suite/progress.ts'
import { SecondTry } from './suite/second-try.ts'
import type { Told } from './suite/told.ts'

interface Suite {
  readonly about: string
  readonly files: readonly string[]
  /** Is built or installed first, where that can be done. */
  readonly needs: readonly Need<unknown>[]
  /** Processes that run it on two cores: most of it waits. */
  readonly shares: number
  readonly options?: readonly string[]
}

const NEEDING = /\b(?:describeOn|describeWith|itWith)/
const files = globSync('test/**/*.test.ts', { exclude: ['test/long/**'] }).toSorted()
const needing = files.filter((file) => NEEDING.test(readFileSync(file, 'utf8')))

const SUITES: Readonly<Record<string, Suite>> = {
  quick: {
    about: 'each rule once: Node and npm, some four minutes on two cores',
    files,
    needs: [],
    shares: 3,
  },
  rest: {
    about: 'what npm test leaves out: some fifteen minutes on two cores',
    files: needing,
    needs: OF_ALL,
    shares: 3,
    // The titles of what needs something: `on the real control plane`, `with Helm`.
    options: ['--grep', String.raw`\((?:on the real|with) `],
  },
  all: {
    about: 'everything but test:long: some twenty minutes on two cores',
    files,
    needs: OF_ALL,
    shares: 3,
  },
  oldest: {
    about: 'what runs on a control plane, on the oldest Kubernetes: some fifteen minutes on two cores',
    files: needing,
    needs: OF_ALL,
    shares: 3,
    options: ['--grep', String.raw`on the real control plane`],
  },
  long: {
    about: 'what takes long by nature: some hours',
    files: globSync('test/long/**/*.test.ts').toSorted(),
    needs: OF_LONG,
    shares: 1,
    options: ['--timeout', '1200000'],
  },
}

/**
 * `node test/run.ts [quick|rest|all|oldest|long] [OPTIONS OF MOCHA]`. Each process that runs a share of the files has a control
 * plane and a sandbox of its own. With `CI` set, what is missing fails, except for `quick`.
 */
const [first = 'quick', ...others] = process.argv.slice(2)
const name = first in SUITES ? first : 'quick'
const given = first in SUITES ? others : process.argv.slice(2)
const suite = SUITES[name]!
const say = (line: string) => void process.stdout.write(`${line}\n`)
const mocha = createRequire(import.meta.url).resolve('mocha/bin/mocha.js')
const logs = mkdtempSync(join(tmpdir(), 'dormouse-tests-'))

say(suite.about)
await provideAll(suite.needs, say)
process.umask(0o022)
const env: NodeJS.ProcessEnv = {
  ...testEnvironment(process.env, name !== 'quick'),
  DORMOUSE_TESTS: name,
  ...(name !== 'quick' && { DORMOUSE_BROUGHT: suite.needs.map(({ phrase }) => phrase).join('\n') }),
  // Half the cases of each property: `test:all` tries all.
  ...(name === 'quick' && !process.env['PROPERTY_RUNS'] && { PROPERTY_SHARE: '0.5' }),
  ...(name !== 'quick' && process.env['CI'] && { DORMOUSE_REQUIRED: 'true' }),
}
const progress = new Progress(process.stdout)

/** Runs a share of the files and tells `hearer`; what its tests print goes to a log. */
async function run(chosen: readonly string[], share: string, hearer: Progress | SecondTry): Promise<void> {
  const log = join(logs, `${share}.log`)
  const out = openSync(log, 'w')
  const args = [mocha, '--reporter', './test/suite/reporter.ts', ...(suite.options ?? []), ...given]
  const child = spawn(process.execPath, [...args, ...chosen], { stdio: ['ignore', out, out, 'ipc'], env })
  let ended = false
  child.on('message', (told: Told) => {
    ended ||= told.event === 'ended'
    hearer.hears(told)
  })
  const [code] = await once(child, 'exit')
  if (!ended) {
    const last = readFileSync(log, 'utf8').trim().split('\n').slice(-30).join('\n')
    hearer.failed({ title: `tests ended with ${code}` }, `a process of tests ended with ${code}:\n${last}`)
  }
}

await Promise.all(
  dealtOut(suite.files, suite.shares).map((chosen, index) => run(chosen, `${index}`, progress)),
)
const again = progress.filesToTryAgain()
if (again.length > 0) {
  say(`once more, alone: ${again.join(', ')}`)
  const second = new SecondTry()
  await run(again, 'again', second)
  progress.triedAgain(second)
}
const isGreen = progress.ended('npm run test:all runs it')
rmSync(env['HOME']!, { recursive: true, force: true })
if (isGreen) rmSync(logs, { recursive: true, force: true })
else say(`what the tests printed: ${logs}`)
process.exitCode = isGreen ? 0 : 1

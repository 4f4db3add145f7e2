import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { realControlPlane } from './control-plane/build.ts'
import { testEnvironment } from './suite/environment.ts'
import { provideAll } from './suite/needs.ts'

const PROJECT = join(import.meta.dirname, '..')
const HOOKS = ['--require', './test/support/hooks.ts']

interface Choice {
  /** Whether a file of tests belongs to it. */
  readonly has: (file: string) => boolean
  readonly options: readonly string[]
  /** The places in which `describeOn` defines its tests; default: everywhere. */
  readonly on?: 'sandbox' | 'real'
}

const needsCluster = (file: string) =>
  /\b(describeOn\w*|describeWith|itWith|startSandbox\w*|run(?:Program|Dormouse))\b/.test(
    readFileSync(join(PROJECT, file), 'utf8'),
  )
const isEndToEnd = (file: string) => /^test\/(e2e|model)\//.test(file)

const QUICK: Choice = {
  has: (file) => !isEndToEnd(file) && !needsCluster(file),
  options: ['--parallel', '--jobs', '2'],
}
const CHOICES: Readonly<Record<string, Choice>> = {
  t: QUICK,
  't:watch': { ...QUICK, options: ['--watch', '--watch-files', 'src/**/*.ts,test/**/*.ts'] },
  e2e: {
    has: (file) => isEndToEnd(file) || needsCluster(file),
    options: HOOKS,
    on: 'sandbox',
  },
  real: {
    has: (file) => isEndToEnd(file) || needsCluster(file),
    options: HOOKS,
    on: 'real',
  },
}

/**
 * `npm run t|t:watch|e2e|real -- WORDS`: the tests whose paths contain one of the words, without the requirements of
 * the others. Arguments with `-` are options of mocha.
 */
const [name = '', ...given] = process.argv.slice(2)
const words = given.filter((word) => !word.startsWith('-'))
const choice = CHOICES[name]
if (!choice) throw new Error(`there is no choice of tests '${name}', only ${Object.keys(CHOICES).join(', ')}`)

const files = globSync('test/**/*.test.ts', { cwd: PROJECT, exclude: ['test/long/**'] })
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .toSorted()
const chosen = files.filter(choice.has)
if (chosen.length === 0) {
  const elsewhere = Object.keys(CHOICES).filter((other) => files.some(CHOICES[other]!.has))
  const hint =
    elsewhere.length > 0 ? `: try npm run ${elsewhere.join(' or npm run ')} -- ${words.join(' ')}` : ''
  process.stderr.write(`no test of '${name}' has ${words.join(' or ')} in its path${hint}\n`)
  process.exitCode = 1
} else {
  const mocha = createRequire(import.meta.url).resolve('mocha/bin/mocha.js')
  const options = ['--no-config', '--exit', '--timeout', '60000', '--reporter', 'dot', ...choice.options]
  if (choice.on === 'real') await provideAll([realControlPlane], (line) => process.stderr.write(`${line}\n`))
  const env = {
    ...testEnvironment(process.env, true),
    ...(name.startsWith('t') && { PROPERTY_SHARE: '0.15' }),
    ...(choice.on && { DORMOUSE_ON: choice.on }),
  }
  const flags = given.filter((word) => word.startsWith('-'))
  const child = spawn(process.execPath, [mocha, ...options, ...flags, ...chosen], {
    cwd: PROJECT,
    stdio: 'inherit',
    env,
  })
  const [code] = await once(child, 'exit')
  rmSync(env.HOME, { recursive: true, force: true })
  process.exitCode = Number(code ?? 1)
}

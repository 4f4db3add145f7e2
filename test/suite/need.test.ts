import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect } from 'chai'
import { testEnvironment } from './environment.ts'
import { both, moreTime, thereIs, type Need } from './need.ts'
import type { Told } from './told.ts'

const mocha = createRequire(import.meta.url).resolve('mocha/bin/mocha.js')

/** All that a process tells which runs the suites of `absent.ts`. */
async function toldBy(env: NodeJS.ProcessEnv): Promise<Told[]> {
  const files = ['reporter.ts', 'absent.ts'].map((name) => join(import.meta.dirname, name))
  const args = ['--no-config', '--reporter', ...files]
  const child = fork(mocha, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const told: Told[] = []
  child.on('message', (each: Told) => told.push(each))
  await once(child, 'exit')
  return told
}

describe('a suite whose need is not there', function () {
  this.timeout(60_000)

  it('does not exist: none of its hooks runs, and it is named as left out', async () => {
    const told = await toldBy({})
    expect(told.map(({ event }) => event)).to.deep.equal(['begun', 'passed', 'ended'])
    expect(told.at(-1)).to.deep.include({ leftOut: { 'with a unicorn': ['a herd', 'has one'] } })
  })

  it('is one failure that says how to get it, where everything is required', async () => {
    const told = await toldBy({ DORMOUSE_REQUIRED: 'true' })
    const failed = told.flatMap((each) => (each.event === 'failed' ? [each] : []))
    expect(failed.map(({ title }) => title)).to.deep.equal([
      'a herd (with a unicorn)',
      'a stable has one (with a unicorn)',
    ])
    expect(failed[0]?.text).to.include('by nobody')
  })
})

describe('a need that a run does not bring', () => {
  const given = process.env['DORMOUSE_BROUGHT']
  const run = process.env['DORMOUSE_TESTS']
  const program: Need<string> = {
    phrase: 'with a program',
    quick: true,
    gotten: '',
    find: () => '/there',
    provide: async () => {},
  }
  afterEach(() => {
    for (const [name, value] of Object.entries({ DORMOUSE_BROUGHT: given, DORMOUSE_TESTS: run }))
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
  })

  for (const [brought, found] of [
    ['', undefined],
    ['with another', undefined],
    ['with another\nwith a program', '/there'],
  ] as const)
    it(`is ${found ? 'there' : 'absent, though it happens to be there'}: ${JSON.stringify(brought)}`, () => {
      process.env['DORMOUSE_BROUGHT'] = brought
      process.env['DORMOUSE_TESTS'] = 'rest'
      expect(thereIs(program)).to.equal(found)
      expect(thereIs(both(program, moreTime))).to.deep.equal(found && [found, true])
    })
})

describe('the environment of tests', () => {
  it('has nothing of the person but the path, the folder for temporary files and settings of the tests', () => {
    const theirs = {
      PATH: '/bin',
      TMPDIR: '/tmp',
      HOME: '/nowhere',
      TZ: 'Asia/Kathmandu',
      LC_ALL: 'tr_TR.UTF-8',
      KUBECONFIG: '/theirs',
      NODE_OPTIONS: '--throw-deprecation',
      FORCE_COLOR: '1',
      HTTPS_PROXY: 'http://127.0.0.1:9',
      npm_config_registry: 'http://127.0.0.1:9',
      DORMOUSE_WORLD: 'slow',
    }
    const env = testEnvironment(theirs, false)
    expect(env).to.include({
      PATH: '/bin',
      TMPDIR: '/tmp',
      TZ: 'UTC',
      LANG: 'C.UTF-8',
      DORMOUSE_WORLD: 'slow',
    })
    expect(env.HOME).to.not.equal('/nowhere')
    expect(env).to.not.have.any.keys('LC_ALL', 'KUBECONFIG', 'NODE_OPTIONS', 'FORCE_COLOR', 'HTTPS_PROXY')
    expect(env).to.not.have.any.keys('npm_config_registry')
  })
})

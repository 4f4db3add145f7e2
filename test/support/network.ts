import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { realControlPlane } from '../control-plane/build.ts'
import { both, withFound, type Need } from '../suite/need.ts'
import { describeOnWith, type On } from './clusters.ts'
import { endsWithTests } from './running-program.ts'

/** In the environment of a process of tests that runs in a network of its own. */
const INSIDE = 'DORMOUSE_OWN_NETWORK'
/** All its addresses are the network's own: the API server refuses those of loopback in slices and pods. */
const SUBNET = '10.99.0.0/16'
const ENTER = `ip link set lo up && ip route add local ${SUBNET} dev lo && exec "$@"`
const LONGEST = 4 * 3_600_000

/** The kernel removes it with its last process. */
const ownNetwork: Need<true> = {
  phrase: 'in a network of its own',
  quick: true,
  gotten: 'there for root on Linux, with unshare and ip',
  find() {
    if (process.getuid?.() !== 0) return undefined
    const { status } = spawnSync('unshare', ['--net', 'sh', '-c', ENTER, 'sh', 'true'])
    return status === 0 ? true : undefined
  },
}

/**
 * Defines tests on the real control plane whose pods have addresses by which others reach them. They run in a process of
 * their own, with a control plane of their own, in a network namespace; here they are one test, which prints theirs.
 * `file`: the path of the file that calls.
 */
export function describeOnNetwork<Found>(
  file: string,
  need: Need<Found>,
  title: string,
  define: (this: Mocha.Suite, on: On, found: Found) => void,
): void {
  if (process.env[INSIDE]) {
    describeOnWith(need, title, define)
    return
  }
  if (process.env['DORMOUSE_ON'] === 'sandbox') return
  withFound(both(both(realControlPlane, ownNetwork), need), title, (full) => {
    it(full, async function () {
      this.timeout(LONGEST)
      await runInside(file, title)
    })
  })
}

async function runInside(file: string, title: string): Promise<void> {
  const mocha = createRequire(import.meta.url).resolve('mocha/bin/mocha.js')
  const tests = ['--no-config', '--exit', '--require', './test/support/hooks.ts', '--reporter', 'spec']
  const args = [mocha, ...tests, '--timeout', '600000', '--fgrep', title, file]
  const child = spawn('unshare', ['--net', 'sh', '-c', ENTER, 'sh', process.execPath, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, [INSIDE]: 'true', DORMOUSE_ON: 'real' },
  })
  endsWithTests(child)
  const lines: string[] = []
  createInterface(child.stdout).on('line', (line) => {
    lines.push(line)
    process.stdout.write(`${line}\n`)
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`in a network of its own:\n${lines.slice(-60).join('\n')}`)
  if (!lines.some((line) => /^ +[1-9]\d* passing/.test(line))) throw new Error('no test ran there')
}

let given = 0

/** An address of that network that nobody had before. */
export function newAddress(): string {
  given += 1
  return `10.99.${1 + (given >> 8)}.${given & 255}`
}

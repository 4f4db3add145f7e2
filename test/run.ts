import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { providePrograms } from './control-plane/build.ts'
import { goPrograms } from './go-programs/go-program.ts'

/** What `describeOn` has in the titles of what runs there. */
const REAL = 'the real control plane'
const mocha = createRequire(import.meta.url).resolve('mocha/bin/mocha.js')

// A hundred programs are started: what they compile is kept, unless their coverage is wanted, which that blurs.
if (!process.env['NODE_V8_COVERAGE'])
  process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'dormouse-compiled')

/** Runs mocha with `args`; its output comes whole from the stream, however late it is read. */
function run(args: readonly string[]) {
  const child = spawn(process.execPath, [mocha, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const output = child.stdout.pipe(new PassThrough({ highWaterMark: 2 ** 26 }))
  return { output, ended: once(child, 'exit').then(([code]) => code === 0) }
}

/**
 * `npm test`: the suite as two processes, since both mostly wait: what runs on the real control plane, and
 * everything else. Arguments are mocha's; the second one's output is printed after the first's.
 */
const args = process.argv.slice(2)
await providePrograms((line) => process.stderr.write(`${line}\n`))
await goPrograms()
const runs = [run([...args, '--grep', REAL, '--invert']), run([...args, '--grep', REAL])]
for (const { output } of runs) await pipeline(output, process.stdout, { end: false })
const passed = await Promise.all(runs.map(({ ended }) => ended))
process.exitCode = passed.every(Boolean) ? 0 : 1

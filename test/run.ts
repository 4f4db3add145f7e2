import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { providePrograms } from './control-plane/build.ts'
import { goPrograms } from './go-programs/go-program.ts'

/** Processes that run the suite on two cores: most of it waits. */
const SHARES = 3
const mocha = createRequire(import.meta.url).resolve('mocha/bin/mocha.js')

// A hundred programs are started: keep their compiled code, except for coverage, which it distorts.
if (!process.env['NODE_V8_COVERAGE'])
  process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'dormouse-compiled')

// The control plane, kubectl and helm collect garbage a quarter as often: kubectl takes a third less of the processor.
process.env['GOGC'] ??= '400'

/** Runs mocha with `args`; its output comes whole from the stream, however late it is read. */
function run(args: readonly string[]) {
  const child = spawn(process.execPath, [mocha, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const output = child.stdout.pipe(new PassThrough({ highWaterMark: 2 ** 26 }))
  return { output, ended: once(child, 'exit').then(([code]) => code === 0) }
}

/**
 * `npm test`: the suite as three processes, each with a control plane and a sandbox of its own and every third file.
 * Arguments are mocha's. The output of each is printed after that of the one before.
 */
const args = process.argv.slice(2)
const provided = await providePrograms((line) => process.stderr.write(`${line}\n`))
// What runs on either cluster runs on the sandbox in `npm run test:long`.
if ('programs' in provided) process.env['DORMOUSE_HAS_REAL'] = 'true'
await goPrograms()
const files = globSync('test/**/*.test.ts', { exclude: ['test/long/**'] }).toSorted()
const runs = Array.from({ length: SHARES }, (_, share) =>
  run([...args, ...files.filter((_file, index) => index % SHARES === share)]),
)
for (const { output } of runs) await pipeline(output, process.stdout, { end: false })
const passed = await Promise.all(runs.map(({ ended }) => ended))
process.exitCode = passed.every(Boolean) ? 0 : 1

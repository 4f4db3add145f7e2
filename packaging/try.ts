import { resolve } from 'node:path'
import { existsSync } from 'node:fs'
import type { Program } from './try/program.ts'
import { asFromSources, tried } from './try/trial.ts'

/**
 * `node packaging/try.ts <program> [args…]`: runs every command in every output with a packed program, and with the
 * sources, each over a sandbox of its own, and compares. The program is an executable, or `node some/main.js`.
 */
const [first, ...rest] = process.argv.slice(2)
if (first === undefined) throw new Error('usage: node packaging/try.ts <program> [args…]')
// They are run in other folders.
const program: Program = [whole(first === 'node' ? process.execPath : first), ...rest.map(whole)]
const { commands, faults } = await tried(program, await asFromSources())
if (faults.length === 0) process.stdout.write(`${commands} commands, all as from the sources\n`)
else {
  process.stdout.write(
    `${faults.join('\n')}\n\n${faults.length} of ${commands} commands are not as from the sources\n`,
  )
  process.exitCode = 1
}

function whole(word: string): string {
  return existsSync(word) ? resolve(word) : word
}

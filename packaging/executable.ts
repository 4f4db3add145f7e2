import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { singleFile } from './client.ts'
import { compiledBy } from './compiled.ts'
import { withBlob } from './elf.ts'

const run = promisify(execFile)

/** The client's text is in ASCII: as Latin-1 it is read without being decoded. */
const MAIN = `
const { getRawAsset } = require('node:sea')
const { Script } = require('node:vm')
const client = Buffer.from(getRawAsset('client')).latin1Slice()
const shows = /^(list|status|why|plan|check)$/.test(process.argv[2])
const cachedData = Buffer.from(getRawAsset(shows ? 'showing' : 'asking'))
new Script(client, { filename: 'kubectl-dormouse.cjs', cachedData }).runInThisContext()(require)
`

/** The client as a function of `require`, which takes CommonJS's place. esbuild leaves regular expressions as they are. @throws Error where it is not in ASCII */
export async function clientScript(): Promise<string> {
  const client = (await singleFile()).replace(/^#!.*\n/, '')
  const other = /.{0,40}[^\p{ASCII}]/u.exec(client)
  if (other) throw new Error(`the executable's code must be in ASCII: write \\u… at ${other[0]}`)
  return `(function (require) {${client}\n})`
}

/**
 * The blob that makes a copy of `node` a single executable of the client (Node docs, "Single executable applications").
 * The same Node must make it and carry it, since it holds compiled code.
 */
export async function blobFor(node: string, to: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'dormouse-blob-'))
  const file = (name: string) => join(folder, name)
  try {
    await writeFile(file('client'), await clientScript())
    await writeFile(file('main.cjs'), MAIN)
    const assets = { client: file('client'), ...(await compiledBy(node, file('client'))) }
    const settings = { main: file('main.cjs'), output: to, assets, disableExperimentalSEAWarning: true }
    await writeFile(file('settings.json'), JSON.stringify(settings))
    await run(node, ['--experimental-sea-config', file('settings.json')])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Writes the executable for Linux that is made of `node`, which is one for Linux. */
export async function linuxExecutable(node: string, to: string): Promise<void> {
  const blob = `${to}.blob`
  await mkdir(dirname(to), { recursive: true })
  await blobFor(node, blob)
  await writeFile(to, withBlob(await readFile(node), await readFile(blob)))
  await chmod(to, 0o755)
  await rm(blob)
}

/**
 * `node packaging/executable.ts <file>` makes the executable for Linux; with `--blob` the blob alone, which postject puts
 * into the Node of another system. Both are of the Node that runs this.
 */
if (import.meta.main) {
  const [first = '', second] = process.argv.slice(2)
  if (first === '--blob' && second !== undefined) await blobFor(process.execPath, second)
  else if (first !== '' && second === undefined) await linuxExecutable(process.execPath, first)
  else throw new Error('usage: node packaging/executable.ts [--blob] <file>')
}

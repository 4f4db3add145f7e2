import { execFile } from 'node:child_process'
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { singleFile } from './client.ts'
import { compiledBy } from './compiled.ts'
import { FUSE, NOTE, withBlob } from './elf.ts'
import { licencesWithNode, PROJECT } from './project.ts'

const run = promisify(execFile)
const require = createRequire(import.meta.url)
const NAME = 'kubectl-dormouse'

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
  return scriptOf((await singleFile()).code)
}

function scriptOf(code: string): string {
  const client = code.replace(/^#!.*\n/, '')
  const other = /.{0,40}[^\p{ASCII}]/u.exec(client)
  if (other) throw new Error(`the executable's code must be in ASCII: write \\u… at ${other[0]}`)
  return `(function (require) {${client}\n})`
}

/**
 * The blob that makes a copy of `node` a single executable of the client (Node docs, "Single executable applications").
 * The same Node must make it and carry it, since it holds compiled code.
 */
async function blobFor(node: string, to: string, script: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'dormouse-blob-'))
  const file = (name: string) => join(folder, name)
  try {
    await writeFile(file('client'), script)
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
export async function linuxExecutable(node: string, to: string, script?: string): Promise<void> {
  const blob = `${to}.blob`
  await mkdir(dirname(to), { recursive: true })
  await blobFor(node, blob, script ?? (await clientScript()))
  await writeFile(to, withBlob(await readFile(node), await readFile(blob)))
  await chmod(to, 0o755)
  await rm(blob)
}

/** The systems that there are executables for, as Go and krew name them. */
type System = 'linux' | 'darwin' | 'windows'

const MADE: Readonly<Record<System, (node: string, to: string, script: string) => Promise<void>>> = {
  async linux(node, to, script) {
    // A seventh of Node is read by debuggers alone. The Node that carries the program makes its compiled code.
    const stripped = `${to}.node`
    await copyFile(node, stripped)
    await run('strip', [stripped])
    await linuxExecutable(stripped, to, script)
    await rm(stripped)
  },
  // A program that was changed is not started on Apple's processors until it is signed again, by whomever.
  async darwin(node, to, script) {
    await copyFile(node, to)
    await run('codesign', ['--remove-signature', to])
    await injected(node, to, script, ['--macho-segment-name', 'NODE_SEA'])
    await run('codesign', ['--sign', '-', to])
    await run('codesign', ['--verify', '--strict', to])
  },
  // The signature of Node's makers is no longer valid in it; Windows starts what has none that is.
  async windows(node, to, script) {
    await copyFile(node, to)
    await injected(node, to, script, [])
  },
}

/** Puts the blob into `program`, a copy of `node`, by postject (Node docs, "Single executable applications"). */
async function injected(
  node: string,
  program: string,
  script: string,
  more: readonly string[],
): Promise<void> {
  const blob = `${program}.blob`
  await blobFor(node, blob, script)
  const postject = require.resolve('postject/dist/cli.js')
  await run(process.execPath, [postject, program, NOTE, blob, '--sentinel-fuse', FUSE, ...more])
  await rm(blob)
}

/**
 * Writes what an archive of a release has into the folder `to`: the program, made of `node`, which is one for `system`,
 * and the licences of all that is in it.
 */
export async function executable(system: System, node: string, to: string): Promise<void> {
  // First, since it may fail: the rest takes long.
  const { code, packages } = await singleFile()
  const licences = await licencesWithNode(packages, node)
  await rm(to, { recursive: true, force: true })
  await mkdir(to, { recursive: true })
  await MADE[system](node, join(to, system === 'windows' ? `${NAME}.exe` : NAME), scriptOf(code))
  await writeFile(join(to, 'LICENSES.txt'), licences)
  await copyFile(`${PROJECT}LICENSE`, join(to, 'LICENSE'))
}

/** `node packaging/executable.ts linux|darwin|windows <folder>`, of the Node that runs this. */
if (import.meta.main) {
  const [system = '', folder = '', ...others] = process.argv.slice(2)
  if (!(system in MADE) || folder === '' || others.length > 0)
    throw new Error('usage: node packaging/executable.ts linux|darwin|windows <folder>')
  await executable(system as System, process.execPath, folder)
}

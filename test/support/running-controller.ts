import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { Cluster } from './cluster.ts'
import { eventually } from './eventually.ts'
import { endsWithTests } from './running-program.ts'

/** Milliseconds that its first connections and caches may take. */
const START_MS = 90_000
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

interface Started {
  readonly program: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Whether its log says that it works. */
  readonly works: (log: readonly string[]) => boolean
}

/** A controller of others' making, as a process beside the tests' cluster. */
export class RunningController {
  readonly name: string
  /** Lines of its log since it was started. */
  readonly log: string[] = []
  #child: ChildProcess | undefined

  constructor(name: string) {
    this.name = name
  }

  /** Resolves once it works. */
  async start({ program, args, env, works, ...where }: Started): Promise<void> {
    const whole = { PATH: process.env['PATH'], ...env }
    const child = endsWithTests(
      spawn(program, args, { env: whole, stdio: ['ignore', 'pipe', 'pipe'], ...where }),
    )
    this.#child = child
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => this.log.push(...text.trimEnd().split('\n')))
    const work = () => {
      if (child.exitCode !== null)
        throw new Error(`it ended with ${child.exitCode}: ${this.log.slice(-5).join('\n')}`)
      return works(this.log)
    }
    await eventually(`${this.name} to work`, work, { timeout: START_MS })
  }

  /** SIGKILL. */
  async kill(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (!child || child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
    this.log.length = 0
  }
}

/** Brings the custom resource definitions of a folder; those that are there stay. Resolves once discovery lists them all. */
export async function define({ admin }: Cluster, folder: string): Promise<void> {
  const definitions = await definitionsIn(folder)
  for (const definition of definitions) {
    const { status, body } = await admin.send('POST', DEFINITIONS, definition)
    if (status !== 201 && status !== 409) throw new Error(`a definition was refused: ${body.message}`)
  }
  // A controller asks discovery once, as it starts: later than the first list that is answered.
  for (const { spec } of definitions)
    for (const { name } of spec.versions.filter(({ served }) => served))
      await eventually(`${spec.names.plural} to be listed`, async () => {
        const { body } = await admin.send('GET', `/apis/${spec.group}/${name}`)
        const { resources = [] } = body as { resources?: readonly { name: string }[] }
        return resources.some((each) => each.name === spec.names.plural)
      })
}

/** Removes the definitions of a folder, and with them all objects. */
export async function undefine({ admin }: Cluster, folder: string): Promise<void> {
  for (const { metadata } of await definitionsIn(folder))
    await admin.send('DELETE', `${DEFINITIONS}/${metadata.name}`)
}

interface Definition {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly group: string
    readonly names: { readonly plural: string }
    readonly versions: readonly { readonly name: string; readonly served: boolean }[]
  }
}

async function definitionsIn(folder: string): Promise<Definition[]> {
  const files = await readdir(folder)
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
  const objects = texts.map((text) => parse(text) as Definition)
  return objects.filter(({ kind }) => kind === 'CustomResourceDefinition')
}

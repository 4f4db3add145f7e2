import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

export const PROJECT = fileURLToPath(new URL('..', import.meta.url))
const FOLDER = 'node_modules/'

/** A package that `npm ci --omit=dev` installs. */
export interface ProductionPackage {
  /** Where it is installed: `node_modules/a/node_modules/b`. */
  readonly path: string
  readonly name: string
  readonly version: string
  /** As its package.json has it, an SPDX expression; undefined: it has none. */
  readonly license: string | undefined
}

interface Locked {
  /** Of the project alone. */
  readonly name?: string
  readonly version: string
  readonly license?: string
  readonly dev?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
}

interface Lock {
  readonly packages: Readonly<Record<string, Locked>>
}

/** The project's package-lock.json. */
export async function lockOfProject(): Promise<string> {
  return readFile(`${PROJECT}package-lock.json`, 'utf8')
}

/** The packages of a package-lock.json (its text) that are not of development alone. */
export function productionPackages(lock: string): ProductionPackage[] {
  const { packages } = JSON.parse(lock) as Lock
  return Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && !dev)
    .map(([path, { version, license }]) => ({ path, name: nameOf(path), version, license }))
}

/** The project itself, with what it names as `dependencies`, by a package-lock.json. */
export function projectOf(lock: string): Locked & { readonly name: string } {
  const { '': project } = (JSON.parse(lock) as Lock).packages
  if (project?.name === undefined) throw new TypeError('a package-lock.json without its project')
  return { ...project, name: project.name }
}

/** `koa@3.3.0`, as npm and CycloneDX name a package. */
export function idOf({ name, version }: { readonly name: string; readonly version: string }): string {
  return `${name}@${version}`
}

/** Where the package of a file is installed, as in package-lock.json; undefined: the file is the project's own. */
export function packagePathOf(file: string): string | undefined {
  const from = file.indexOf(FOLDER)
  if (from < 0) return undefined
  const last = file.lastIndexOf(FOLDER) + FOLDER.length
  const [first = '', second = ''] = file.slice(last).split('/')
  return file.slice(from, last) + (first.startsWith('@') ? `${first}/${second}` : first)
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf(FOLDER) + FOLDER.length)
}

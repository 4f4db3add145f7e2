import { readdir, readFile, realpath } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The project's folder, with a slash at its end. */
export const PROJECT = fileURLToPath(new URL('..', import.meta.url))

interface Project {
  readonly version: string
  readonly license: string
  readonly description: string
}

export const project = JSON.parse(await readFile(`${PROJECT}package.json`, 'utf8')) as Project

/** The folders of the packages that these files, paths from the project, are of. */
export function packagesIn(files: readonly string[]): string[] {
  const found = files.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [])
  return [...new Set(found)]
}

/** The text of a licence, or what goes with one. */
const TEXT = /^(?:(?:un)?licen[cs]e|copying|notice)/i
const RULE = `\n\n${'-'.repeat(72)}\n\n`

/**
 * The licences in full of the packages in these folders: code may only be passed on with them. A package that brings no
 * text has it in `packaging/licences`.
 * @throws Error that names every package whose text is missing
 */
export async function licencesOf(folders: readonly string[]): Promise<string> {
  const found = await Promise.all([...new Set(folders)].toSorted().map(licenceOf))
  const faults = found.flatMap(({ fault }) => fault ?? [])
  if (faults.length > 0) throw new Error(faults.join('\n'))
  return `${found.map(({ text }) => text).join(RULE)}\n`
}

async function licenceOf(folder: string): Promise<{ readonly text: string; readonly fault?: string }> {
  const at = resolve(PROJECT, folder)
  const { name, version, license } = JSON.parse(await readFile(join(at, 'package.json'), 'utf8')) as {
    name: string
    version: string
    license?: string
  }
  const own = (await readdir(at)).filter((file) => TEXT.test(file)).sort()
  const paths = own.map((file) => join(at, file))
  if (!own.some((file) => !/^notice/i.test(file))) paths.push(`${PROJECT}packaging/licences/${name}.txt`)
  const read = await Promise.all(paths.map((path) => readFile(path, 'utf8').catch(() => '')))
  const bodies = read.map((body) => body.trim())
  const head = `${name} ${version} (${license ?? 'see below'})`
  if (bodies.every((body) => body !== '')) return { text: [head, ...bodies].join('\n\n') }
  return {
    text: head,
    fault: `${head} has no text of its licence, without which it may not be passed on: write it to packaging/licences/${name}.txt`,
  }
}

/**
 * The licences of Node and all that is in it (V8, OpenSSL, ICU, libuv and more): the LICENSE of the distribution that
 * `node`, a path of its program, is from. On Windows it lies beside the program, elsewhere above `bin`; npm's package
 * `node` has the distribution in a package of its own.
 * @throws Error that says where it was looked for
 */
export async function nodeLicence(node: string): Promise<string> {
  const folder = dirname(await realpath(node))
  const above = dirname(folder)
  const packaged = (await readdir(join(above, 'node_modules')).catch(() => []))
    .filter((name) => /^node(?:-bin)?-\w+-\w+$/.test(name))
    .map((name) => join(above, 'node_modules', name))
  const places = [above, folder, ...packaged].map((place) => join(place, 'LICENSE'))
  for (const place of places) {
    const text = await readFile(place, 'utf8').catch(() => '')
    if (text.startsWith('Node.js is licensed') && text.includes('OpenSSL') && text.includes('V8'))
      return text.trim()
  }
  throw new Error(
    `the licences of Node are not beside ${node}, without which it may not be passed on; looked for ${places.join(', ')}. Use a Node as nodejs.org packs it, or run npm ci`,
  )
}

/** `LICENSES.txt` of an executable: of the packages in these folders, and of the Node that it is a copy of. */
export async function licencesWithNode(folders: readonly string[], node: string): Promise<string> {
  return `${await licencesOf(folders)}${RULE.trimStart()}Node.js, which this program is a copy of\n\n${await nodeLicence(node)}\n`
}

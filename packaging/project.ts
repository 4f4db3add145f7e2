import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** The project's folder, with a slash at its end. */
export const PROJECT = fileURLToPath(new URL('..', import.meta.url))

interface Project {
  readonly version: string
  readonly license: string
  readonly description: string
}

export const project = JSON.parse(await readFile(`${PROJECT}package.json`, 'utf8')) as Project

/** The folders of the packages that a bundle has something of. */
export function packagesIn(inputs: Readonly<Record<string, unknown>>): string[] {
  const found = Object.keys(inputs).flatMap(
    (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
  )
  return [...new Set(found)]
}

/** The licences in full of the packages in these folders: code may only be passed on with them. */
export async function licencesOf(folders: readonly string[]): Promise<string> {
  const texts = await Promise.all(
    [...new Set(folders)].toSorted().map(async (folder) => {
      const at = fileURLToPath(new URL(`${folder}/`, `file://${PROJECT}`))
      const { name, version, license } = JSON.parse(await readFile(`${at}package.json`, 'utf8')) as {
        name: string
        version: string
        license?: string
      }
      const files = (await readdir(at)).filter((file) => /^(?:licen[cs]e|notice|copying)/i.test(file)).sort()
      const bodies = await Promise.all(files.map((file) => readFile(`${at}${file}`, 'utf8')))
      return [`${name} ${version} (${license ?? 'see below'})`, ...bodies.map((body) => body.trim())].join(
        '\n\n',
      )
    }),
  )
  return `${texts.join(`\n\n${'-'.repeat(72)}\n\n`)}\n`
}

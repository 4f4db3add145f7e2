import { readFile, writeFile } from 'node:fs/promises'
import { format } from 'prettier'
import { PRESETS } from '../src/domain/sleeping/presets.ts'
import { withConfigSchema } from './values-schema.ts'
import { withValuesTable } from './values-table.ts'

/** The texts that `npm run chart` writes, by absolute path; the other parts of these files are written by hand. */
export async function generated(): Promise<ReadonlyMap<string, string>> {
  const schema = await read('values.schema.json')
  const readme = await read('README.md')
  const values = JSON.stringify(withConfigSchema(JSON.parse(schema.text) as Record<string, unknown>))
  return new Map([
    [schema.path, await format(values, { parser: 'json', printWidth: 110 })],
    [pathOf('presets.json'), await format(JSON.stringify(PRESETS), { parser: 'json', printWidth: 110 })],
    [readme.path, withValuesTable(readme.text, (await read('values.yaml')).text)],
  ])
}

async function read(name: string): Promise<{ path: string; text: string }> {
  const path = pathOf(name)
  return { path, text: await readFile(path, 'utf8') }
}

function pathOf(name: string): string {
  return new URL(`dormouse/${name}`, import.meta.url).pathname
}

if (import.meta.main) for (const [path, text] of await generated()) await writeFile(path, text)

import { readFile, writeFile } from 'node:fs/promises'
import { MADE } from './made.ts'
import { withPart } from './page.ts'

/** `npm run docs`: makes what the code says in the pages anew. */
for (const [name, part] of Object.entries(MADE)) {
  const file = new URL(`../${name}`, import.meta.url)
  await writeFile(file, await withPart(await readFile(file, 'utf8'), await part()))
}

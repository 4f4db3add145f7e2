import { readFile, writeFile } from 'node:fs/promises'
import { drawn, MADE } from './made.ts'
import { withPart } from './page.ts'

/** Rewrites the generated parts of the pages, from the code and the bench's results. */
export async function made(): Promise<void> {
  for (const [name, part] of Object.entries(MADE)) {
    const file = new URL(`../${name}`, import.meta.url)
    await writeFile(file, await withPart(await readFile(file, 'utf8'), await part()))
  }
  for (const [name, text] of drawn()) await writeFile(new URL(`../${name}`, import.meta.url), text)
}

// `npm run docs`
if (import.meta.main) await made()

import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generated } from './generated.ts'

const project = new URL('../', import.meta.url)

for (const [path, text] of generated()) {
  const file = fileURLToPath(new URL(path, project))
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
  process.stdout.write(`${path}: ${text.length} characters\n`)
}

import { globSync, readFileSync } from 'node:fs'

/** The lines that folders may have together: a guideline. Explain an excess in docs/architecture.md. */
const BUDGETS: Readonly<Record<string, { readonly most: number; readonly folders: readonly string[] }>> = {
  domain: { most: 9500, folders: ['src/domain/**'] },
  kubernetes: { most: 6900, folders: ['src/kubernetes/**'] },
  service: {
    most: 15_500,
    folders: ['src/service/**', 'src/process/**', 'src/http/**', 'src/wiring/**', 'src/cli/*', 'src/*'],
  },
  waker: { most: 2500, folders: ['src/waker/**'] },
  client: { most: 5700, folders: ['src/client/**', 'src/cli/people/**'] },
  console: { most: 5200, folders: ['src/console/**'] },
  headlamp: { most: 400, folders: ['src/headlamp/**'] },
  words: { most: 400, folders: ['src/words/**'] },
  import: { most: 2500, folders: ['src/import/**'] },
  sandbox: { most: 4300, folders: ['src/sandbox/**'] },
  test: { most: 60_000, folders: ['test/**'] },
}
/** Files that people write: the console's sheets and pages, too. */
const WRITTEN = /\.(?:ts|css|html)$/

const filesIn = (folder: string) => globSync(folder).filter((file) => WRITTEN.test(file))
const linesOf = (file: string) => readFileSync(file, 'utf8').split('\n').length - 1

function print(name: string, files: readonly string[], most?: number): void {
  const lines = files.reduce((sum, file) => sum + linesOf(file), 0)
  const share =
    most === undefined ? '' : `  ${`${Math.round((100 * lines) / most)} %`.padStart(5)} of ${most}`
  process.stdout.write(
    `${name.padEnd(20)}${String(files.length).padStart(4)} files${String(lines).padStart(7)} lines${share}\n`,
  )
}

for (const [name, { most, folders }] of Object.entries(BUDGETS)) {
  const files = folders.map(filesIn)
  print(name, files.flat(), most)
  if (folders.length > 1) folders.forEach((folder, index) => print(`  ${folder}`, files[index] ?? []))
}

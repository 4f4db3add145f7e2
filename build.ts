import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { PAGE_PACKAGES } from './packaging/console-page.ts'
import { licencesOf, packagesIn } from './packaging/project.ts'
import { refuseLateCommonJs } from './packaging/late-imports.ts'
import { pageSources } from './src/console/sources.ts'

const PROJECT = fileURLToPath(new URL('.', import.meta.url))

/**
 * Writes the program that the image runs into the folder `to`, an absolute path: `dist/main.js`, and beside `dist` the
 * package.json that it reads; `dist/page` has the console's files, `dist/LICENSES.txt` the licences of all that is in
 * it. Blanks are left out of the code, but names stay, so that a stack trace says something.
 * Resolves with the paths, from the project, of the files that it has something of.
 */
export async function bundle(to: string): Promise<string[]> {
  await rm(`${to}/dist`, { recursive: true, force: true })
  const { metafile } = await build({
    absWorkingDir: PROJECT,
    entryPoints: ['src/main.ts', 'src/wiring/calendar-thread.ts'],
    outdir: `${to}/dist`,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // `debug` takes it where it is, which is so where the packages of development are: the image is to be the same everywhere.
    external: ['supports-color'],
    // A late import stays apart.
    splitting: true,
    minifyWhitespace: true,
    minifySyntax: true,
    // They are in LICENSES.txt.
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    plugins: [refuseLateCommonJs],
    // Packages in CommonJS require Node's own modules.
    banner: {
      js: `import{createRequire as forCommonJs}from'node:module';const require=forCommonJs(import.meta.url);`,
    },
  })
  await mkdir(`${to}/dist/page`)
  for (const [name, text] of await pageSources()) await writeFile(`${to}/dist/page/${name}`, text)
  if (`${to}/` !== PROJECT) await copyFile(`${PROJECT}package.json`, `${to}/package.json`)
  const used = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs))
  const files = [...new Set(used.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path))]
  await writeFile(`${to}/dist/LICENSES.txt`, await licencesOf([...packagesIn(files), ...PAGE_PACKAGES]))
  return files
}

if (import.meta.main) await bundle(PROJECT.replace(/\/$/, ''))

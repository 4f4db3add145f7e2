import { copyFile, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const PROJECT = fileURLToPath(new URL('.', import.meta.url))

/**
 * Writes the program that the image runs into the folder `to`, an absolute path: `dist/main.js`, and beside `dist` the
 * package.json that it reads. Blanks are left out of the code, but names stay, so that a stack trace says something.
 */
export async function bundle(to: string): Promise<void> {
  await rm(`${to}/dist`, { recursive: true, force: true })
  await build({
    absWorkingDir: PROJECT,
    entryPoints: ['src/main.ts', 'src/service/review-thread.ts'],
    outdir: `${to}/dist`,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // What is imported when it is needed stays apart.
    splitting: true,
    minifyWhitespace: true,
    minifySyntax: true,
    // Beside licences of their own, which lie in node_modules.
    legalComments: 'linked',
    logLevel: 'warning',
    // Packages in CommonJS require Node's own modules.
    banner: {
      js: `import{createRequire as forCommonJs}from'node:module';const require=forCommonJs(import.meta.url);`,
    },
  })
  if (`${to}/` !== PROJECT) await copyFile(`${PROJECT}package.json`, `${to}/package.json`)
}

if (import.meta.main) await bundle(PROJECT.replace(/\/$/, ''))

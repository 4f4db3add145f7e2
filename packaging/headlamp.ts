import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { build } from 'esbuild'
import { licencesOf, packagesIn, project, PROJECT } from './project.ts'

const NAME = 'headlamp-dormouse'
/** The package whose API the plugin uses; Headlamp loads a plugin only if it finds here that it may be new enough. */
const HEADLAMP = { '@kinvolk/headlamp-plugin': '^0.14.0' }

/**
 * Writes the plugin for Headlamp into the folder `to`, as Headlamp has its plugins: `main.js`, which takes React and all
 * that is Headlamp's from the global `pluginLib`, and `package.json`; with the licences of all that is in it.
 */
export async function headlampPlugin(to: string): Promise<void> {
  await rm(to, { recursive: true, force: true })
  await mkdir(to, { recursive: true })
  const { metafile } = await build({
    absWorkingDir: PROJECT,
    entryPoints: ['src/headlamp/main.ts'],
    outfile: `${to}/main.js`,
    bundle: true,
    platform: 'browser',
    target: 'es2022',
    format: 'iife',
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
  })
  await writeFile(`${to}/package.json`, `${JSON.stringify(manifest(), null, 2)}\n`)
  await writeFile(`${to}/LICENSES.txt`, await licencesOf(packagesIn(Object.keys(metafile.inputs))))
  await copyFile(`${PROJECT}LICENSE`, `${to}/LICENSE`)
  await copyFile(`${PROJECT}packaging/headlamp.md`, `${to}/README.md`)
}

function manifest(): object {
  const { version, license, description } = project
  return {
    name: NAME,
    version,
    description: `Dormouse in Headlamp: ${description}`,
    keywords: ['headlamp', 'headlamp-plugin', 'kubernetes', 'dormouse', 'schedule', 'sleep'],
    license,
    homepage: 'https://github.com/dormouse-dev/dormouse#readme',
    repository: { type: 'git', url: 'git+https://github.com/dormouse-dev/dormouse.git' },
    main: 'main.js',
    files: ['main.js', 'LICENSES.txt'],
    devDependencies: HEADLAMP,
  }
}

/** `npm run build`: the plugin as it is released. */
if (import.meta.main) await headlampPlugin(`${PROJECT}dist/${NAME}`)

import { chmod, mkdir, rm, writeFile, copyFile } from 'node:fs/promises'
import { build, type BuildOptions } from 'esbuild'
import { consolePage, PAGE_PACKAGES } from './console-page.ts'
import { refuseLateCommonJs } from './late-imports.ts'
import { licencesOf, packagesIn, project, PROJECT } from './project.ts'

const NAME = 'kubectl-dormouse'
/** The names that it is started by; kubectl finds its plugins by theirs. */
export const BINS = ['kubectl-dormouse', 'kubectl_complete-dormouse', 'dormouse']
/** The Node that it runs on, which is what it is tested with. */
const NODE = 24

/** Options of both bundles of the client. */
function options(define: Readonly<Record<string, string>> = {}): BuildOptions {
  return {
    absWorkingDir: PROJECT,
    bundle: true,
    platform: 'node',
    target: `node${NODE}`,
    // Names stay, for readable stack traces. To keep them by `keepNames` costs each function a call when it is made.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    // `debug` takes it where it is, which is so where the packages of development are.
    external: ['supports-color'],
    logLevel: 'warning',
    metafile: true,
    plugins: [consolePage, refuseLateCommonJs],
    define: { DORMOUSE_VERSION: JSON.stringify(project.version), ...define },
  }
}

/**
 * Writes the npm package `kubectl-dormouse` into the folder `to`: the bundle, its three commands, the sandbox, and the licences of
 * all that is in it. It depends on no other package.
 */
export async function npmPackage(to: string): Promise<void> {
  await rm(to, { recursive: true, force: true })
  await mkdir(`${to}/bin`, { recursive: true })
  const { metafile } = await build({
    ...options(),
    entryPoints: {
      main: 'src/cli/people/main.ts',
      // The service's program, whose sandbox is a try without a cluster or a checkout.
      sandbox: 'src/main.ts',
      'calendar-thread': 'src/wiring/calendar-thread.ts',
    },
    outdir: `${to}/lib`,
    format: 'esm',
    // Keep lazily imported modules apart.
    splitting: true,
    // Packages in CommonJS require Node's own modules.
    banner: {
      js: `import{createRequire as forCommonJs}from'node:module';const require=forCommonJs(import.meta.url);`,
    },
  })
  for (const name of BINS) {
    await writeFile(`${to}/bin/${name}.js`, STARTER)
    await chmod(`${to}/bin/${name}.js`, 0o755)
  }
  await writeFile(`${to}/package.json`, `${JSON.stringify(manifest(), null, 2)}\n`)
  await writeFile(
    `${to}/LICENSES.txt`,
    await licencesOf([...packagesIn(Object.keys(metafile?.inputs ?? {})), ...PAGE_PACKAGES]),
  )
  await copyFile(`${PROJECT}LICENSE`, `${to}/LICENSE`)
  await copyFile(`${PROJECT}packaging/README.md`, `${to}/README.md`)
}

/** An older Node would stop at unknown syntax without saying why. */
const STARTER = `#!/usr/bin/env node
import module from 'node:module'
const [major] = process.versions.node.split('.')
if (Number(major) < ${NODE}) {
  console.error(\`error: kubectl dormouse needs Node ${NODE} or newer, and this is \${process.versions.node}: install a newer one, or the executable of its release\`)
  process.exitCode = 1
} else {
  module.enableCompileCache?.()
  await import(process.argv[2] === 'sandbox' ? '../lib/sandbox.js' : '../lib/main.js')
}
`

function manifest(): object {
  const { version, license, description } = project
  return {
    name: NAME,
    version,
    description: `kubectl dormouse: ${description}`,
    keywords: ['kubernetes', 'kubectl', 'kubectl-plugin', 'krew', 'dormouse', 'schedule', 'sleep'],
    license,
    homepage: 'https://github.com/dormouse-dev/dormouse/blob/main/docs/client.md',
    repository: { type: 'git', url: 'git+https://github.com/dormouse-dev/dormouse.git' },
    type: 'module',
    engines: { node: `>=${NODE}` },
    bin: Object.fromEntries(BINS.map((name) => [name, `bin/${name}.js`])),
    files: ['bin', 'lib', 'LICENSES.txt'],
  }
}

/**
 * The whole client as one file in CommonJS, as a single executable starts it, and the folders of the packages that are
 * in it.
 */
export async function singleFile(): Promise<{ readonly code: string; readonly packages: readonly string[] }> {
  const thread = await built({ entryPoints: ['src/wiring/calendar-thread.ts'], format: 'esm' })
  // The one thread that it starts has its code inline: no file lies beside an executable.
  const url = `data:text/javascript;base64,${Buffer.from(thread.code).toString('base64')}`
  const client = await built({
    entryPoints: ['src/cli/people/main.ts'],
    alias: { '@kubernetes/client-node': './packaging/no-auth-provider.ts' },
    format: 'cjs',
    define: { ...options().define, 'import.meta.url': JSON.stringify(url) },
  })
  return { code: client.code, packages: [...client.packages, ...thread.packages, ...PAGE_PACKAGES] }
}

async function built(more: BuildOptions) {
  const { outputFiles, metafile } = await build({ ...options(), ...more, write: false })
  const [output] = outputFiles ?? []
  if (!output) throw new Error('the bundler wrote nothing')
  return { code: output.text, packages: packagesIn(Object.keys(metafile?.inputs ?? {})) }
}

/** `npm run build`: the published package of the client. */
if (import.meta.main) await npmPackage(`${PROJECT}dist/${NAME}`)

import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bundle } from '../build.ts'
import { idOf, lockOfProject, packagePathOf, productionPackages, projectOf, PROJECT } from './lock.ts'

interface Component {
  readonly 'bom-ref': string
  readonly name: string
  readonly version: string
  readonly properties?: readonly Property[]
  readonly [field: string]: unknown
}

interface Property {
  readonly name: string
  readonly value: string
}

/** As much of a CycloneDX 1.5 document as is looked at here. */
export interface Sbom {
  readonly metadata: { readonly component: Component; readonly [field: string]: unknown }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[]
  readonly [field: string]: unknown
}

/** Its value is `true` at packages of which something is in the program that the image runs, and at the Node that runs it. */
export const IN_IMAGE = 'dormouse:in-image'
/** Its value is `true` at the Node that the executables are copies of. */
export const IN_EXECUTABLES = 'dormouse:in-executables'

/** The versions of Node that are passed on, `24.21.0`. */
export interface Nodes {
  readonly executables: string
  /** Absent: not known, since its base is named by a tag. */
  readonly image?: string
}

/**
 * The CycloneDX document of what Dormouse is made of: npm's own, without what only development needs. npm is not told
 * to leave that out: `npm sbom --omit=dev` (11.19) also leaves out what both need, such as ajv. `bundled`: the files
 * that the image's program has something of.
 */
export async function sbomOf(lock: string, bundled: readonly string[], nodes: Nodes): Promise<Sbom> {
  const packages = productionPackages(lock)
  const production = new Set(packages.map(idOf))
  const paths = new Set(bundled.map(packagePathOf))
  const inImage = new Set(packages.filter(({ path }) => paths.has(path)).map(idOf))
  const { name, version, dependencies = {} } = projectOf(lock)
  const { metadata, ...rest } = await npmSbom()
  const root = metadata.component['bom-ref']
  const isKept = (ref: string) => production.has(ref)
  // Of what development names, some is needed by a package of production, too.
  const isDirect = (ref: string) => ref.slice(0, ref.lastIndexOf('@')) in dependencies
  return {
    ...rest,
    // npm calls the project by its folder.
    metadata: { ...metadata, component: { ...metadata.component, name, version } },
    components: [
      ...rest.components
        .filter((component) => isKept(idOf(component)))
        .map((component) => {
          const properties = inImage.has(idOf(component)) ? [{ name: IN_IMAGE, value: 'true' }] : []
          return Object.assign(component, { properties })
        }),
      ...nodesOf(nodes),
    ],
    dependencies: rest.dependencies
      .filter(({ ref }) => ref === root || isKept(ref))
      .map(({ ref, dependsOn = [] }) => ({
        ref,
        dependsOn: dependsOn.filter((each) => isKept(each) && (ref !== root || isDirect(each))),
      })),
  }
}

/** Node itself, which is none of npm's packages. */
function nodesOf({ executables, image }: Nodes): Component[] {
  return [...new Set([executables, image])]
    .filter((version) => version !== undefined)
    .map((version) => ({
      type: 'platform',
      'bom-ref': `nodejs@${version}`,
      name: 'nodejs',
      version,
      description: 'Node.js, with V8, OpenSSL, ICU, libuv and all else that is in it',
      purl: `pkg:generic/nodejs@${version}`,
      cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
      properties: [
        ...(version === executables ? [{ name: IN_EXECUTABLES, value: 'true' }] : []),
        ...(version === image ? [{ name: IN_IMAGE, value: 'true' }] : []),
      ],
    }))
}

async function npmSbom(): Promise<Sbom> {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only']
  const options = { cwd: PROJECT, maxBuffer: 2 ** 26 }
  const { stdout } = await promisify(execFile)('npm', args, options)
  return JSON.parse(stdout) as Sbom
}

/**
 * `npm run -s sbom >dormouse.cdx.json`; `-- 24.21.0` names the Node of the image, which is that of its base. The
 * executables are made of the Node that package.json names.
 */
if (import.meta.main) {
  const [image] = process.argv.slice(2)
  if (image !== undefined && !/^\d+\.\d+\.\d+$/.test(image))
    throw new TypeError(`no version of Node: ${image}`)
  const folder = await mkdtemp(join(tmpdir(), 'dormouse-sbom-'))
  try {
    const lock = await lockOfProject()
    const executables = projectOf(lock).dependencies?.['node'] ?? process.versions.node
    const sbom = await sbomOf(lock, await bundle(folder), { executables, ...(image && { image }) })
    process.stdout.write(`${JSON.stringify(sbom, undefined, 2)}\n`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

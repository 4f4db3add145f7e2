import { execFile } from 'node:child_process'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A released Go module in the local module cache. */
export interface GoModule {
  readonly path: string
  readonly version: string
  readonly directory: string
}

/** Fetches `path@version` through the Go module proxy, unless the module cache has it. */
export async function downloadModule(path: string, version: string): Promise<GoModule> {
  const { stdout } = await run('go', ['mod', 'download', '-json', `${path}@${version}`]).catch(
    (error: { stdout?: string; message: string }) => {
      throw new Error(`go could not fetch ${path}@${version}: ${goError(error.stdout) ?? error.message}`)
    },
  )
  return { path, version, directory: (JSON.parse(stdout) as { Dir: string }).Dir }
}

function goError(json: string | undefined): string | undefined {
  if (!json) return undefined
  return (JSON.parse(json) as { Error?: string }).Error
}

/**
 * Writes a module into `folder` from which the commands of `module` build as released: it requires nothing
 * else, takes over its `godebug` and checksums, and replaces its staging modules (`=> ./staging/…`, which a
 * published module does not contain) by their releases. `stagingVersion` is theirs: v0.X.Y for a v1.X.Y.
 */
export async function writeBuildModule(
  module: GoModule,
  folder: string,
  stagingVersion?: string,
): Promise<void> {
  const original = await readFile(join(module.directory, 'go.mod'), 'utf8')
  const staged = [...original.matchAll(/^\s*(?:replace )?(\S+) => \.\/staging\//gm)].map((match) => match[1])
  if (staged.length > 0 && !stagingVersion)
    throw new TypeError(`${module.path} has staging modules: pass their version`)
  const lines = [
    'module dormouse.dev/control-plane',
    ...(original.match(/^(?:go|godebug) .*$/gm) ?? []),
    `require ${module.path} ${module.version}`,
    ...staged.map((path) => `replace ${path} => ${path} ${stagingVersion}`),
  ]
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'go.mod'), `${lines.join('\n')}\n`)
  await copyFile(join(module.directory, 'go.sum'), join(folder, 'go.sum'))
}

/** Builds one command of the module in `folder`; resolves when `output` is there. */
export async function buildCommand(
  folder: string,
  command: string,
  output: string,
  ldflags: string,
): Promise<void> {
  const args = ['build', '-mod=mod', '-trimpath', '-ldflags', ldflags, '-o', output, command]
  const options = { cwd: folder, env: { ...process.env, CGO_ENABLED: '0' }, maxBuffer: 64 * 1024 * 1024 }
  await run('go', args, options).catch((error: { stderr?: string; message: string }) => {
    const said = (error.stderr || error.message).trim().split('\n').slice(-15).join('\n')
    throw new Error(`go could not build ${command}:\n${said}`)
  })
}

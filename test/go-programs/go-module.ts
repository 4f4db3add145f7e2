import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A released Go module in the local module cache. */
export interface GoModule {
  readonly path: string
  readonly version: string
  readonly directory: string
}

/** Packages with a `main`, which are built at once. */
export interface GoCommands {
  readonly commands: readonly string[]
  /** The program of a single command; the folder of several, whose names are the last of their paths. */
  readonly output: string
  readonly ldflags?: string
}

/** Fetches `path@version` through the Go module proxy, unless the module cache has it. */
export async function downloadModule(path: string, version: string): Promise<GoModule> {
  const { stdout } = await run('go', ['mod', 'download', '-json', `${path}@${version}`]).catch(
    (error: { stdout?: string; message: string; code?: unknown }) => {
      if (error.code === 'ENOENT') throw new Error('there is no `go` on the path (go.dev/dl has it)')
      // It is fetched all the same.
      if (NEWER_GO.test(downloaded(error.stdout).Error ?? '')) return { stdout: error.stdout }
      throw new Error(
        `go could not fetch ${path}@${version}: ${downloaded(error.stdout).Error ?? error.message}`,
      )
    },
  )
  const { Dir, GoMod = '' } = downloaded(stdout)
  return {
    path,
    version,
    directory: Dir ?? join(GoMod.split('/cache/download/')[0] ?? '', `${path}@${version}`),
  }
}

/** Its `go.mod` names a newer patch of Go than this one. */
const NEWER_GO = /requires go >= \S+ \(running go /

interface Downloaded {
  readonly Dir?: string
  readonly GoMod?: string
  readonly Error?: string
}

function downloaded(json: string | undefined): Downloaded {
  return json ? (JSON.parse(json) as Downloaded) : {}
}

/**
 * Writes a module into `folder` from which the commands of `modules` build: it requires nothing else, takes
 * over their Go version, `godebug`, checksums and replacements, and replaces staging modules (`=> ./staging/…`,
 * which a published module does not contain) by their releases. `stagingVersion` is theirs: v0.X.Y for a v1.X.Y.
 */
export async function writeBuildModule(
  modules: readonly GoModule[],
  folder: string,
  stagingVersion?: string,
): Promise<void> {
  const files = await Promise.all(modules.map(({ directory }) => readFile(join(directory, 'go.mod'), 'utf8')))
  const staged = linesOf(files, /^\s*(?:replace )?(\S+) => \.\/staging\//gm)
  if (staged.length > 0 && !stagingVersion) throw new TypeError('a staging module: pass their version')
  const lines = [
    'module dormouse.dev/programs',
    `go ${newest(linesOf(files, /^go (\S+)$/gm))}`,
    ...linesOf(files, /^(godebug .*)$/gm),
    ...modules.map(({ path, version }) => `require ${path} ${version}`),
    ...linesOf(files, /^\s*(?:replace )?(\S+ (?:\S+ )?=> [^.\s]\S* \S+)/gm).map((line) => `replace ${line}`),
    ...staged.map((path) => `replace ${path} => ${path} ${stagingVersion}`),
  ]
  const sums = await Promise.all(modules.map(({ directory }) => readFile(join(directory, 'go.sum'), 'utf8')))
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'go.mod'), `${lines.join('\n')}\n`)
  await writeFile(join(folder, 'go.sum'), sums.join(''))
}

/** The first group of each match in all files. */
function linesOf(files: readonly string[], pattern: RegExp): string[] {
  return files.flatMap((file) => [...file.matchAll(pattern)].map(([, found]) => found ?? ''))
}

function newest(versions: readonly string[]): string {
  return versions.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1) ?? '1.26'
}

/** Builds commands of the module in `folder`; `say` gets their progress. */
export async function buildCommands(
  folder: string,
  { commands, output, ldflags = '-s -w' }: GoCommands,
  say: (line: string) => void,
): Promise<void> {
  const name = commands.length === 1 ? basename(output) : commands.map((each) => basename(each)).join(', ')
  const started = performance.now()
  const seconds = () => Math.round((performance.now() - started) / 1000)
  const heartbeat = setInterval(() => say(`  ${name}: still building, ${seconds()} s`), 30_000)
  await compile(folder, commands, output, ldflags).finally(() => clearInterval(heartbeat))
  say(`  ${name}: built in ${seconds()} s`)
}

/** Compiler and linker live for seconds: they collect little garbage. */
const GO = { CGO_ENABLED: '0', GOGC: '400' }

async function compile(
  folder: string,
  commands: readonly string[],
  output: string,
  ldflags: string,
): Promise<void> {
  const into = commands.length === 1 ? output : `${output}/`
  const args = ['build', '-mod=mod', '-trimpath', '-ldflags', ldflags, '-o', into, ...commands]
  const options = { cwd: folder, env: { ...process.env, ...GO }, maxBuffer: 64 * 1024 * 1024 }
  await run('go', args, options).catch((error: { stderr?: string; message: string }) => {
    const said = (error.stderr || error.message).trim().split('\n').slice(-15).join('\n')
    throw new Error(`go could not build ${commands.join(', ')}:\n${said}`)
  })
}

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { build, type BuildFailure } from 'esbuild'
import { refuseLateCommonJs } from '../../packaging/late-imports.ts'

describe('what is built', () => {
  let folder: string

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dormouse-late-'))
    for (const [name, manifest, code] of [
      ['common', {}, 'exports.stringify = String'],
      ['modern', { type: 'module' }, 'export const stringify = String'],
    ] as const) {
      await mkdir(join(folder, 'node_modules', name), { recursive: true })
      await writeFile(join(folder, 'node_modules', name, 'package.json'), JSON.stringify(manifest))
      await writeFile(join(folder, 'node_modules', name, 'index.js'), code)
    }
    // As a package of ours may: nothing of ours is broken by it.
    await mkdir(join(folder, 'node_modules', 'late'))
    await writeFile(join(folder, 'node_modules', 'late', 'index.mjs'), `export const late = import('common')`)
    await writeFile(
      join(folder, 'node_modules', 'late', 'package.json'),
      JSON.stringify({ main: 'index.mjs' }),
    )
  })

  after(() => rm(folder, { recursive: true, force: true }))

  /** Builds these files, of which the first one is started; returns the faults. */
  async function faultsOf(...texts: readonly string[]) {
    const names = ['main.ts', 'file.ts']
    for (const [index, text] of texts.entries()) await writeFile(join(folder, names[index]!), text)
    return build({
      absWorkingDir: folder,
      entryPoints: ['main.ts'],
      outdir: 'out',
      write: false,
      bundle: true,
      splitting: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'silent',
      plugins: [refuseLateCommonJs],
    }).then(
      () => [],
      ({ errors }: BuildFailure) => errors,
    )
  }

  it('imports no CommonJS package late: the build fails, with the place', async () => {
    const [fault, ...more] = await faultsOf(
      `import { late } from './file.ts'\nlate()`,
      `export async function late() {\n  const { stringify } = await import('common')\n  return stringify(1)\n}`,
    )
    expect(more).to.deep.equal([])
    expect(fault?.location).to.include({ file: 'file.ts', line: 2, column: 30 })
    expect(fault?.text).to.include("import('common')")
  })

  it('imports one statically in a file that is imported late, or an ES module', async () => {
    const late = `const { stringify } = await import('./file.ts')\nconsole.log(stringify)`
    expect(await faultsOf(late, `export { stringify } from 'common'`)).to.deep.equal([])
    expect(await faultsOf(late.replace('./file.ts', 'modern'))).to.deep.equal([])
  })

  it('may have a package that does', async () => {
    expect(await faultsOf(`import { late } from 'late'\nconsole.log(late)`)).to.deep.equal([])
  })
})

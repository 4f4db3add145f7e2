import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { git } from '../support/former-release.ts'
import { CHART } from './helm.ts'

const FOLDER = 'charts/dormouse'
/** The number of commits to search. */
const COMMITS = 30

export interface PreviousChart {
  readonly path: string
  /** Its tag or commit, to be printed. */
  readonly told: string
  remove(): Promise<void>
}

/**
 * The previous chart: of the newest tag, else of the newest commit, whose chart differs from the checkout's. If
 * git has none, the present chart with a lower version and so with other labels.
 */
export async function previousChart(): Promise<PreviousChart> {
  const directory = await mkdtemp(join(tmpdir(), 'dormouse-chart-'))
  const remove = () => rm(directory, { recursive: true, force: true })
  const path = join(directory, 'dormouse')
  const commit = await differing()
  if (commit === undefined) {
    await cp(CHART, path, { recursive: true })
    const file = join(path, 'Chart.yaml')
    const text = await readFile(file, 'utf8')
    await writeFile(file, text.replace(/^(version|appVersion): .*$/gm, '$1: 0.0.1'))
    return { path, told: 'the present one as 0.0.1, since git has no other', remove }
  }
  const { stdout } = await git('ls-tree', '-r', '--name-only', commit, '--', FOLDER)
  for (const name of stdout.trim().split('\n')) {
    const file = join(path, name.slice(FOLDER.length + 1))
    await mkdir(join(file, '..'), { recursive: true })
    await writeFile(file, (await git('show', `${commit}:${name}`)).stdout)
  }
  return { path, told: `that of ${commit}`, remove }
}

async function differing(): Promise<string | undefined> {
  const tags = await lines('tag', '--sort=-creatordate', '--list', 'v*')
  const commits = await lines('log', `--max-count=${COMMITS}`, '--format=%h', '--', FOLDER)
  for (const candidate of [...tags, ...commits]) {
    const has = await git('cat-file', '-e', `${candidate}:${FOLDER}/Chart.yaml`)
    if (has.code !== 0) continue
    const same = await git('diff', '--quiet', candidate, '--', FOLDER)
    if (same.code === 1) return candidate
  }
  return undefined
}

async function lines(...args: string[]): Promise<string[]> {
  const { code, stdout } = await git(...args)
  return code === 0 ? stdout.split('\n').filter((line) => line !== '') : []
}

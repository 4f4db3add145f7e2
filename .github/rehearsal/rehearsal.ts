import { existsSync, globSync } from 'node:fs'
import { cp, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { FILES, withVersion } from '../release.ts'
import {
  filledIn,
  holds,
  inOrder,
  nameOf,
  needsOf,
  rowsOf,
  workflowOf,
  type Contexts,
  type Job,
  type Step,
} from './workflow.ts'
import type { World } from './world.ts'

/** Steps that do not run without a network, or would take too long, each with the reason. All others run. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  'release.yaml: packages: No known vulnerability': "asks npm's registry for advisories",
  'release.yaml: oldest: Install what the tests need': "installs Debian's packages",
  'release.yaml: oldest: Test': 'builds Kubernetes and runs the suite on it',
  'ci.yaml: gate: Run it': 'is the gate, which runs this, too',
  'ci.yaml: stranger: Install and test': "installs all from npm's registry",
}

/** Actions that leave nothing behind which a step could miss: a checkout and programs are there. */
const IDLE =
  /^(?:actions\/(?:checkout|setup-node|setup-go|cache|dependency-review-action)|docker\/setup-buildx-action)@/

export interface Rehearsal {
  /** Names of steps that ran, and of those that did not: `release.yaml: image: Try it`. */
  readonly ran: readonly string[]
  readonly leftOut: readonly string[]
}

interface Options {
  readonly world: World
  /** The workflow's file in `.github/workflows`. */
  readonly file: string
  readonly tag: string
  /** Texts of the checkout that differ from this one's, by path, and the name of the job in which they do. */
  readonly changed?: Readonly<Record<string, string>>
  readonly say: (line: string) => void
}

/**
 * Runs the jobs of a workflow in their order as a push of `tag` would, in copies of the checkout whose files name that
 * version. @throws Error with the log of the first step that fails
 */
export async function rehearse({ world, file, tag, changed = {}, say }: Options): Promise<Rehearsal> {
  const path = (name: string) => new URL(`../../${name}`, import.meta.url)
  const workflow = workflowOf(await readFile(path(`.github/workflows/${file}`), 'utf8'))
  const sources: Record<string, string> = {}
  for (const name of FILES) sources[name] = await readFile(path(name), 'utf8')
  const texts = { ...withVersion(tag.replace(/^v/, ''), '2026-01-31', sources), ...changed }
  const needs: Record<string, { outputs: Record<string, string> }> = {}
  const [ran, leftOut]: [string[], string[]] = [[], []]

  async function carryOut(id: string, job: Job, row: Contexts): Promise<void> {
    const cwd = await world.checkout(texts)
    const home = await world.home()
    const variables = variablesOf(tag)
    const waited = Object.fromEntries(needsOf(job).map((each) => [each, needs[each]]))
    const steps: Record<string, { outputs: Contexts }> = {}
    const given: Contexts = { ...contextsOf(variables), needs: waited, matrix: row }
    const env = Object.fromEntries(
      Object.entries({ ...workflow.env, ...job.env }).map(([name, value]) => [name, filledIn(value, given)]),
    )
    const contexts: Contexts = { ...given, env, steps }
    for (const step of job.steps ?? []) {
      const title = `${file}: ${id}: ${nameOf(step)}`
      if (!holds(step.if, contexts)) continue
      if (step.uses) await stoodIn(step, contexts, cwd)
      else if (title in LEFT_OUT) {
        leftOut.push(title)
        say(`left out  ${title}: ${LEFT_OUT[title]}`)
      } else {
        const begun = performance.now()
        const { code, log, outputs } = await world.step([workflow, job, step], contexts, cwd, {
          ...variables,
          ...home,
        })
        if (code !== 0) throw new Error(`${title} ended with ${code}\n${log}`)
        if (step.id) steps[step.id] = { outputs }
        ran.push(title)
        say(`ok        ${title}${told(row)} (${((performance.now() - begun) / 1000).toFixed(1)} s)`)
      }
    }
    const outputs = Object.entries(job.outputs ?? {}).map(([name, value]) => [
      name,
      filledIn(value, contexts),
    ])
    needs[id] = { outputs: Object.fromEntries(outputs) as Record<string, string> }
    await rm(cwd, { recursive: true })
  }

  async function stoodIn(
    { uses = '', with: inputs = {} }: Step,
    contexts: Contexts,
    cwd: string,
  ): Promise<void> {
    const input = (name: string) => (name in inputs ? filledIn(inputs[name], contexts) : undefined)
    if (IDLE.test(uses)) return
    if (uses.startsWith('actions/upload-artifact@'))
      await world.keep(input('name') ?? '', input('path') ?? '', cwd)
    else if (uses.startsWith('actions/download-artifact@'))
      await world.fetch(input('name') ?? input('pattern') ?? '', cwd, input('path'))
    else if (uses.startsWith('actions/attest@')) {
      const [path, digest = ''] = [input('subject-path'), input('subject-digest')]
      const isThere = path ? globSync(path, { cwd }).length > 0 : /^sha256:[0-9a-f]{64}$/.test(digest)
      if (!isThere) throw new Error(`nothing to sign: ${path ?? digest}`)
    } else throw new Error(`an action that is not known here: ${uses}`)
  }

  for (const [id, job] of inOrder(workflow)) {
    for (const each of needsOf(job))
      if (!needs[each]) throw new Error(`${id} needs ${each}, which did not run`)
    if (job.uses) {
      needs[id] = { outputs: {} }
      say(`left out  ${file}: ${id}: is ${job.uses}, which runs by itself`)
      continue
    }
    for (const row of rowsOf(job)) {
      // A machine makes only executables of its own architecture: the archive of the other is a copy.
      const twin = row['arch'] === 'arm64' ? `kubectl-dormouse-${String(row['os'])}-amd64.tar.gz` : undefined
      if (twin) await copied(world, twin)
      else await carryOut(id, job, row)
    }
  }
  return { ran, leftOut }
}

/** The archive of arm64, as that of amd64. */
async function copied(world: World, archive: string): Promise<void> {
  const artifacts = join(world.state, 'artifacts')
  if (!existsSync(join(artifacts, archive))) return
  const to = archive.replace('amd64', 'arm64')
  await cp(join(artifacts, archive, archive), join(artifacts, to, to))
}

/** GitHub's variables of a push of a tag. */
export function variablesOf(tag: string): Record<string, string> {
  return {
    GITHUB_ACTOR: 'someone',
    GITHUB_REF_NAME: tag,
    GITHUB_REPOSITORY: 'dormouse-dev/dormouse',
    GITHUB_REPOSITORY_OWNER: 'dormouse-dev',
    GITHUB_SHA: '0'.repeat(40),
    CI: 'true',
  }
}

/** The values that expressions read of GitHub. */
export function contextsOf(variables: Readonly<Record<string, string>>): Contexts {
  return {
    github: {
      repository: variables['GITHUB_REPOSITORY'],
      repository_owner: variables['GITHUB_REPOSITORY_OWNER'],
      event_name: 'push',
    },
    secrets: { GITHUB_TOKEN: 'token' },
    runner: { os: 'Linux', arch: 'X64' },
  }
}

function told(row: Contexts): string {
  const values = Object.entries(row).filter(([name]) => name !== 'runner')
  return values.length === 0 ? '' : ` (${values.map(([, value]) => String(value)).join(' ')})`
}

/** The files of a folder with their sizes, as text. */
export async function listed(folder: string): Promise<string[]> {
  const names = (await readdir(folder).catch(() => [])).toSorted()
  return Promise.all(
    names.map(async (name) => `${name} (${(await readFile(join(folder, name))).length} bytes)`),
  )
}

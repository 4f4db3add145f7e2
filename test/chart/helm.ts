import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { versions } from '../control-plane/programs.ts'
import { PROJECT } from '../support/dormouse.ts'
import { runProgram, type KubectlResult } from '../support/kubectl.ts'

export const CHART = join(PROJECT, 'charts', 'dormouse')

/** The chart's values, as in a values file. */
export type Values = Readonly<Record<string, unknown>>

/** The parts of a rendered object that the tests read. */
export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly data?: Readonly<Record<string, string>>
  readonly webhooks?: readonly Readonly<Record<string, unknown>>[]
  readonly [field: string]: unknown
}

export interface Release {
  readonly name: string
  readonly namespace: string
}

export interface Helm {
  /** Returns any exit code; `values` are passed as a file. */
  readonly attempt: (args: readonly string[], values?: Values) => Promise<KubectlResult>
  /** Returns its output. @throws Error with its message if it fails */
  readonly run: (args: readonly string[], values?: Values) => Promise<string>
  /** Renders the chart with these values, hooks included. */
  readonly template: (values?: Values, release?: Release) => Promise<Manifest[]>
}

/** The release of the documentation. */
export const DOCUMENTED: Release = { name: 'dormouse', namespace: 'dormouse' }

/** Helm, this program, with folders of its own during the suite; with `kubeconfig`, for a cluster. */
export function helmIn(program: string, kubeconfig?: () => string): Helm {
  let directory = ''

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'dormouse-helm-'))
  })

  after(async () => {
    if (directory !== '') await rm(directory, { recursive: true, force: true })
  })

  const attempt: Helm['attempt'] = (args, values = {}) => {
    const given = Object.keys(values).length > 0
    return runProgram(program, [...args, ...(given ? ['--values', '-'] : [])], {
      input: given ? JSON.stringify(values) : '',
      env: {
        ...process.env,
        ...helmFolders(directory),
        KUBECONFIG: kubeconfig?.() ?? join(directory, 'none'),
      },
    })
  }
  const run: Helm['run'] = async (args, values) => {
    const { code, stdout, stderr } = await attempt(args, values)
    if (code !== 0) throw new Error(`helm ${args.join(' ')} ended with ${code}: ${stderr || stdout}`)
    return stdout
  }
  return {
    attempt,
    run,
    async template(values, { name, namespace } = DOCUMENTED) {
      const where = ['--namespace', namespace, '--kube-version', versions.kubernetes]
      return objectsOf(await run(['template', name, CHART, ...where], values))
    },
  }
}

export function helmFolders(directory: string): Record<string, string> {
  const folders = ['CACHE', 'CONFIG', 'DATA'].map((name) => [`HELM_${name}_HOME`, join(directory, name)])
  return Object.fromEntries(folders) as Record<string, string>
}

function objectsOf(text: string): Manifest[] {
  const documents = parseAllDocuments(text)
  if (!Array.isArray(documents)) return []
  return documents.map((document) => document.toJS() as Manifest | null).filter((object) => object !== null)
}

/** The one object of this kind (and name). */
export function only(objects: readonly Manifest[], kind: string, name?: string): Manifest {
  const found = objects.filter(
    (object) => object.kind === kind && (name ?? object.metadata.name) === object.metadata.name,
  )
  if (found.length !== 1 || !found[0])
    throw new Error(`expected one ${kind} ${name ?? ''}, found ${found.length}`)
  return found[0]
}

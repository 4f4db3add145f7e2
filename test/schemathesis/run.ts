import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { OPENAPI_PATH } from '../../src/service/api/openapi/document.ts'
import type { PythonProgram } from '../python-programs/python-program.ts'

const HOOKS = join(import.meta.dirname, 'hooks.py')
/** Statuses that refuse a bad request. */
const REJECTIONS = '400 401 403 404 405 406 409 413 415 422 428 429 431 5xx'

export interface Fuzzing {
  /** The API's URL, with a token that has all rights. */
  readonly url: string
  readonly token: string
  /** Values that most requests take, so that they meet a workload; the first ones stand for the document's examples. */
  readonly namespaces: readonly [string, ...string[]]
  readonly names: readonly [string, ...string[]]
  readonly seed: number
  /** Requests for each operation and phase. */
  readonly examples: number
}

export interface Result {
  readonly passed: boolean
  /** All that it printed. */
  readonly output: string
  /** The last lines, with the counts of tests and failures. */
  readonly summary: readonly string[]
}

/** Runs schemathesis with all checks and phases on the served document. */
export async function schemathesis(program: PythonProgram, fuzzing: Fuzzing): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), 'dormouse-schemathesis-'))
  try {
    const { url, token, seed, examples } = fuzzing
    await writeFile(join(directory, 'schemathesis.toml'), configuration(fuzzing))
    await writeFile(join(directory, 'openapi.json'), await servedDocument(fuzzing))
    const args = [
      ['--no-color', 'run', 'openapi.json', '--url', url, '--header', `Authorization: Bearer ${token}`],
      ['--checks', 'all', '--phases', 'examples,coverage,fuzzing,stateful'],
      ['--seed', String(seed), '--max-examples', String(examples)],
      ['--generation-database', 'none', '--continue-on-failure', '--request-timeout', '60'],
    ].flat()
    const { code, output } = await run(program, args, directory)
    const summary = output
      .slice(Math.max(0, output.lastIndexOf('= SUMMARY =')))
      .split('\n')
      .slice(1)
    return { passed: code === 0, output, summary: summary.filter((line) => line.trim() !== '') }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** The document as it is served, but for the examples of namespaces and names: those have to be there. */
async function servedDocument({ url, namespaces, names }: Fuzzing): Promise<string> {
  const examples: Readonly<Record<string, string>> = { namespace: namespaces[0], name: names[0] }
  const { body } = await request(`${url}${OPENAPI_PATH}`)
  return JSON.stringify(await body.json(), (_key, value: { name?: string; in?: string } | null) =>
    value?.in === undefined || examples[value.name ?? ''] === undefined
      ? value
      : { ...value, example: examples[value.name ?? ''] },
  )
}

/** JSON strings and arrays are TOML's, too. */
function configuration({ namespaces, names }: Fuzzing): string {
  return `
hooks = ${JSON.stringify(HOOKS)}
# A watched list goes on for as long as its client stays; each tells at least one event at once.
max-stream-events = 1

# The defaults, and two more ways to refuse: 413, as the document says, and 431 (RFC 6585), since what schemathesis writes
# into a path or a query may be longer than any server takes.
[checks.negative_data_rejection]
expected-statuses = ${JSON.stringify(REJECTIONS.split(' '))}

[dictionaries]
namespaces = { values = ${JSON.stringify(namespaces)} }
names = { values = ${JSON.stringify(names)} }

[parameters]
"path.namespace" = { dictionary = "namespaces", probability = 0.9 }
"path.name" = { dictionary = "names", probability = 0.9 }
"query.namespace" = { dictionary = "namespaces", probability = 0.5 }
`
}

function run(
  { file, args, env }: PythonProgram,
  more: readonly string[],
  cwd: string,
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const options = { cwd, env: { ...env, COLUMNS: '120' }, maxBuffer: 2 ** 26 }
    execFile(file, [...args, ...more], options, (error, stdout, stderr) =>
      resolve({ code: error ? 1 : 0, output: `${stdout}${stderr}` }),
    )
  })
}

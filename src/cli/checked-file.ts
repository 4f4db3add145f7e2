import { text as textOf } from 'node:stream/consumers'
import { parseAllDocuments } from 'yaml'
import { UsageError } from '../process/errors.ts'
import { readText } from '../process/named-file.ts'

/** As a shell has it: standard input. */
const STDIN = '-'
/** The chart's ConfigMap has the configuration under this key. */
const KEY = 'config.yaml'
const RENDER = 'check what it makes of them, by helm template … -f values.yaml | dormouse check -'

export interface CheckedFile {
  /** How messages call it. */
  readonly name: string
  readonly text: string
}

/**
 * The configuration in a file, `-` being standard input; of a rendered chart (`helm template … | dormouse check -`) the
 * one in its ConfigMap.
 * @throws UsageError when the file cannot be read or is one of the chart's values, or nothing came by standard input, as
 *   where Helm has failed
 */
export async function readCheckedFile(file: string): Promise<CheckedFile> {
  const text = file === STDIN ? await textOf(process.stdin) : await readText('file', file)
  if (file === STDIN && text.trim() === '')
    throw new UsageError('standard input is empty: what was to write the configuration has failed')
  const name = file === STDIN ? 'standard input' : file
  const rendered = configMapIn(text)
  if (rendered === undefined && /^config:/m.test(text))
    throw new UsageError(`${name}: these are values of the chart: ${RENDER}`)
  return { name, text: rendered ?? text }
}

/** undefined: there is no ConfigMap with a configuration, and so this is no rendered chart. */
function configMapIn(text: string): string | undefined {
  if (!/^kind: ConfigMap$/m.test(text)) return undefined
  const documents = parseAllDocuments(text)
  if (!Array.isArray(documents)) return undefined
  return documents
    .filter((document) => document.errors.length === 0 && document.get('kind') === 'ConfigMap')
    .map((document) => document.getIn(['data', KEY]))
    .find((value) => typeof value === 'string')
}

import { isMap, isScalar, parseDocument, type Pair } from 'yaml'

const BEGIN = '<!-- values: made by `npm run chart` from values.yaml -->'
const END = '<!-- end of values -->'
const HEAD = ['Value', 'Default', 'Meaning'] as const

type Row = readonly [string, string, string]

/**
 * The chart's README with its table of values regenerated from `values.yaml`: a row for each key, with the comment
 * above it.
 */
export function withValuesTable(readme: string, values: string): string {
  const [before, rest] = [readme.split(BEGIN)[0], readme.split(END)[1]]
  if (before === readme || before === undefined || rest === undefined)
    throw new TypeError('the README lacks the comments that begin and end its table of values')
  return `${before}${BEGIN}\n\n${table(valueRows(values))}\n\n${END}${rest}`
}

/** Throws TypeError for a value that has no comment. */
function valueRows(values: string): Row[] {
  const { contents } = parseDocument(values)
  return isMap(contents) ? rowsOf(contents.items, '', contents.commentBefore ?? undefined) : []
}

function rowsOf(pairs: readonly Pair[], path: string, first: string | undefined): Row[] {
  return pairs.flatMap((pair, index) => {
    const { key, value } = pair
    if (!isScalar(key)) throw new TypeError(`a key below ${path} is no text`)
    const name = `${path}${String(key.value)}`
    // The parser keeps the comment above the first key of a map with the map.
    const comment = key.commentBefore ?? (index === 0 ? first : undefined)
    if (comment === undefined && isMap(value) && value.items.length > 0)
      return rowsOf(value.items, `${name}.`, value.commentBefore ?? undefined)
    if (comment === undefined) throw new TypeError(`${name} has no comment in values.yaml`)
    const shown = JSON.stringify((value as { toJSON(): unknown }).toJSON())
    return [[`\`${name}\``, `\`${shown}\``, comment.replaceAll(/\s*\n\s*/g, ' ').trim()] as const]
  })
}

/** Padded, as prettier has it. */
function table(rows: readonly Row[]): string {
  const cells = [HEAD, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', String.raw`\|`)))
  const widths = HEAD.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[], fill: string) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0, fill)).join(' | ')} |`
  const [head = [], ...body] = cells
  return [line(head, ' '), line(['', '', ''], '-'), ...body.map((row) => line(row, ' '))].join('\n')
}

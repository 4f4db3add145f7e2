/** Values that differ each time, or by the name that a program was started under. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/\bkubectl dormouse\b/g, 'dormouse'],
  [/https?:\/\/127\.0\.0\.1:\d+(?:\/console\S*)?/g, 'URL'],
  [/\d{4}-\d\d-\d\d(?:T[\d:.]+Z?)?/g, 'TIME'],
  [/(?:\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\w* )?(?:\d{1,2} [A-Z][a-z]{2} )?\b\d{1,2}:\d\d(?::\d\d)?/g, 'TIME'],
  // Midnight may come between.
  [/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b/g, 'DAY'],
  [/\S*[\\/]dormouse-(?:try|sandbox)-\w+/g, 'FOLDER'],
  [/\b(?:\d+(?:ms|[dhms]))+\b/g, 'SPAN'],
  [/((?:_seconds|amount|duration)"?: )[\d.e+-]+/g, '$1N'],
  [/\beyJ[\w.-]+/g, 'TOKEN'],
  // How far those that are waited for are at some moment.
  [/^.*\bstill running\n/gm, ''],
  [/[ \t]+/g, ' '],
]

function withoutVarying(text: string): string {
  return VARYING.reduce((before, [what, by]) => before.replaceAll(what, by), text)
}

/** The lines; `isInOrder`: their order matters. */
function linesOf(text: string, isInOrder: boolean): string[] {
  const lines = withoutVarying(text).split('\n')
  return isInOrder ? lines : lines.filter((line) => line !== '').toSorted()
}

/** The first line in which two outputs differ, but for times and addresses; undefined: in none. */
export function alike(wanted: string, found: string, isInOrder: boolean): string | undefined {
  const [left, right] = [linesOf(wanted, isInOrder), linesOf(found, isInOrder)]
  for (let index = 0; index < Math.max(left.length, right.length); index += 1)
    if (left[index] !== right[index])
      return `line ${index + 1} is ${shown(right[index])}, and from the sources ${shown(left[index])}`
  return undefined
}

function shown(line: string | undefined): string {
  return line === undefined ? 'not there' : `'${line}'`
}

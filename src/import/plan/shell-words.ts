/**
 * A command to be pasted into a shell of POSIX: each word is one argument, whatever stands in it (POSIX.1-2024, XCU
 * 2.2.2). Words that need no quotes have none.
 */
export function commandLine(...words: readonly string[]): string {
  return words.map(quoted).join(' ')
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** JSON in ASCII alone: no control character and none that turns the direction of what follows stands in it. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    // oxlint-disable-next-line no-control-regex
    /[^\u0000-\u007E]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

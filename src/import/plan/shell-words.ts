/**
 * A command to paste into a POSIX shell: each word is one argument, whatever its characters (POSIX.1-2024, XCU 2.2.2).
 * Words are quoted only if they need it.
 */
export function commandLine(...words: readonly string[]): string {
  return words.map(quoted).join(' ')
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** JSON in ASCII alone, without control characters or characters that change the text's direction. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    // oxlint-disable-next-line no-control-regex
    /[^\u0000-\u007E]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

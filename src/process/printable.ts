/**
 * A line for a terminal or a table that quotes others: without control characters, other ends of lines, and characters
 * that change the text's direction. The length stays the same.
 */
export function printable(line: string): string {
  return line.replaceAll(/\p{Cc}|\p{Zl}|\p{Zp}|\p{Bidi_Control}/gu, ' ')
}

import type { Terminal } from './terminal.ts'

type Output = Terminal['stdout']

/**
 * Our own colours, the sequence that overwrites a line of progress, line ends and tabs; and any other control character
 * or one that changes the text's direction.
 */
// oxlint-disable-next-line no-control-regex
const CONTROLS = /\u001B\[(?:0|1|2|3[1-4])m|^\r\u001B\[K|[^\P{Cc}\n\t]|\p{Bidi_Control}/gu

/**
 * The output with other people's control characters removed: texts of the cluster, such as an annotation that somebody
 * else wrote, must not control the reader's terminal.
 */
export function safeOutput(output: Output): Output {
  return {
    write: (text) => output.write(text.replaceAll(CONTROLS, (found) => (found.length > 1 ? found : ' '))),
    ...(output.isTTY !== undefined && { isTTY: output.isTTY }),
    ...(output.columns !== undefined && { columns: output.columns }),
  }
}

/** On one line, so that a text cannot imitate another line of ours. */
export function oneLine(text: string): string {
  return text.includes('\n') ? text.replaceAll(/\s*\n\s*/g, ' ') : text
}

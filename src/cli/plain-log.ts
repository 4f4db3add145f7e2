import type { DestinationStream } from 'pino'

interface Entry {
  readonly level: string
  readonly msg: string
  readonly kind?: string
  readonly error?: string
  readonly err?: { readonly message: string }
}

/**
 * A log's destination for people: of each entry its message and its fault, on a line, each line once.
 * `createLogger('warn', plainLines(stderr))` writes `warning: a watch or list failed … (deployments): …`.
 */
export function plainLines(terminal: { write(text: string): unknown }): DestinationStream {
  const said = new Set<string>()
  return {
    write(json: string) {
      const { level, msg, kind, error, err } = JSON.parse(json) as Entry
      const of = kind === undefined ? '' : ` (${kind})`
      const why = error ?? err?.message
      const line = `${level === 'warn' ? 'warning' : level}: ${msg}${of}${why === undefined ? '' : `: ${why}`}`
      if (said.has(line)) return
      said.add(line)
      // What it quotes must not steer the terminal.
      terminal.write(`${line.replaceAll(/\p{Cc}/gu, ' ')}\n`)
    },
  }
}

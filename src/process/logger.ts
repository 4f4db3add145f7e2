import { pino, type DestinationStream, type Logger as Pino } from 'pino'
import { printable } from './printable.ts'

export type Logger = Pino

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** JSON lines with ISO times; fields that may hold a credential are redacted. */
export function createLogger(level: LogLevel, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: {
      paths: ['token', 'authorization', '*.token', '*.authorization', '*.headers.authorization'],
      censor: '(redacted)',
    },
  }
  return destination ? pino(options, { write: (line) => destination.write(escaped(line)) }) : pino(options)
}

/** A line of JSON that may be read in a terminal: it escapes by itself only those control characters that it has to. */
function escaped(line: string): string {
  return line.replaceAll(
    /[\u007F-\u009F]|\p{Bidi_Control}/gu,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

interface Entry {
  readonly level: string
  readonly msg: string
  readonly kind?: string
  readonly error?: string
  readonly err?: { readonly message: string }
}

/**
 * A destination for terminals: one line an entry, with its message and its error, never the same line twice.
 * `createLogger('warn', plainLines(stderr))` writes `warning: a watch or list failed … (deployments): …`.
 */
export function plainLines(terminal: { write(text: string): unknown }): DestinationStream {
  const written = new Set<string>()
  return {
    write(json: string) {
      const { level, msg, kind, error, err } = JSON.parse(json) as Entry
      const of = kind === undefined ? '' : ` (${kind})`
      const why = error ?? err?.message
      const line = `${level === 'warn' ? 'warning' : level}: ${msg}${of}${why === undefined ? '' : `: ${why}`}`
      if (written.has(line)) return
      written.add(line)
      // A quoted text must not send control characters to the terminal.
      terminal.write(`${printable(line)}\n`)
    },
  }
}

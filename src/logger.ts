import { pino, type DestinationStream, type Logger as Pino } from 'pino'

export type Logger = Pino
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'

/** JSON lines with ISO times; what could be a credential is never written. */
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
  return destination ? pino(options, destination) : pino(options)
}

import type { Config } from '../config.ts'

/** A port that the program listens on, and where a person sets it. */
interface PortSetting {
  readonly port: number | null
  /** `--api-port (api.insecurePort)`. */
  readonly setBy: string
}

export function portsOf({ api, webhook, metrics }: Config): PortSetting[] {
  return [
    { port: api.insecurePort, setBy: '--api-port (api.insecurePort)' },
    { port: api.port, setBy: 'api.port in the configuration' },
    { port: webhook.port, setBy: '--webhook-port (webhook.port)' },
    { port: metrics.port, setBy: '--metrics-port (metrics.port)' },
  ]
}

/**
 * Waits for what listens on these ports; `advice` is the command line that takes free ones at once.
 * @throws Error that names the setting of the port that cannot be had; any other failure as it is
 */
export async function listening(
  ports: readonly PortSetting[],
  running: Promise<void>,
  advice?: string,
): Promise<void> {
  try {
    await running
  } catch (error) {
    const problem = problemOf(error)
    if (problem === undefined) throw error
    const { address = '', port } = error as { address?: string; port?: number }
    const host = address.includes(':') ? `[${address}]` : address
    const settings = ports.filter((each) => each.port === port).map(({ setBy }) => setBy)
    const by = settings.length > 0 ? ` by ${settings.join(' or ')}` : ''
    const free = advice === undefined ? '' : `; free ones for all at once: ${advice}`
    const message = `${host}:${port} ${problem}: give another${by}; 0: a free one${free}`
    throw new Error(message, { cause: error })
  }
}

function problemOf(error: unknown): string | undefined {
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  if (syscall !== 'listen') return undefined
  if (code === 'EADDRINUSE') return 'is in use'
  return code === 'EACCES' ? 'is a port that this user may not listen on' : undefined
}

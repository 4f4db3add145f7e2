import type { Clock } from '../process/clock.ts'
import type { ClusterObjects, Connection, Dormouse, KnownContext } from './ports.ts'

/** The parts of the outside world that the client uses; main.ts passes the real ones, tests their own. */
export interface Terminal {
  readonly stdout: Output
  readonly stderr: Output
  /** The next line that a person types; undefined: there is no terminal to ask at. */
  readonly ask: ((question: string) => Promise<string>) | undefined
  readonly clock: Clock
  /** The zone in which people type and read times, an IANA name; undefined: the machine's own. */
  readonly timezone?: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Aborted when the process is asked to stop. */
  readonly stopSignal: AbortSignal
  /** The command that started it: `kubectl dormouse` or `dormouse`. */
  readonly program: string
  /**
   * Shows the page at a secret address in the person's browser, if there is one; the returned function removes its
   * traces.
   */
  readonly openPage: (url: string) => Promise<() => Promise<void>>
  /** All contexts of the kubeconfig. */
  readonly contexts: (connection: Connection) => Promise<readonly KnownContext[]>
  /** Opens Dormouse for the commands. @throws Error if no cluster is configured */
  readonly connect: (connection: Connection) => Promise<Dormouse>
  /** Opens the cluster itself. @throws Error if none is configured */
  readonly openCluster: (connection: Connection) => Promise<ClusterObjects>
}

interface Output {
  write(text: string): unknown
  /** Whether a person looks at it. */
  readonly isTTY?: boolean
  /** Characters of a line, of a terminal. */
  readonly columns?: number
}

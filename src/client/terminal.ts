import type { Clock } from '../service/process/clock.ts'
import type { ClusterObjects, Connection, Dormouse } from './ports.ts'

/** What the client may use of the world outside; main.ts passes the real one, tests their own. */
export interface Terminal {
  readonly stdout: Output
  readonly stderr: Output
  /** The next line that a person types; undefined: there is no terminal to ask at. */
  readonly ask: ((question: string) => Promise<string>) | undefined
  readonly clock: Clock
  /** In which people type and read times, an IANA name; undefined: the machine's own. */
  readonly timezone?: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Aborted when the process is asked to stop. */
  readonly stopSignal: AbortSignal
  /** What people type to start it: `kubectl dormouse` or `dormouse`. */
  readonly program: string
  /** Shows the page at a secret address in the person's browser, if there is one; what it returns removes its traces. */
  readonly openPage: (url: string) => Promise<() => Promise<void>>
  /** Opens what the commands act on. @throws Error when there is no cluster to be found */
  readonly connect: (connection: Connection) => Promise<Dormouse>
  /** Opens the cluster itself. @throws Error when there is none to be found */
  readonly openCluster: (connection: Connection) => Promise<ClusterObjects>
}

interface Output {
  write(text: string): unknown
  /** It is a terminal that people look at. */
  readonly isTTY?: boolean
}

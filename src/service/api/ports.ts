import type { Clock, Monotonic } from '../../process/clock.ts'
import type { AuthSettings } from '../auth/ports.ts'
import type { Config } from '../config/config.ts'
import type { Accounting } from '../../domain/records/saved.ts'
import type { Rules } from '../../domain/deciding/rules.ts'
import type { LiveReader, Reviews, Workloads, Writer } from '../../kubernetes/ports.ts'
import type { Kind } from '../../domain/workload/workload.ts'
import type { Logger } from '../../process/logger.ts'

/** Called for each answer: `route` is the route's template or `unmatched`, `method` as sent, `seconds` the time it took. */
export interface RequestObserver {
  answered(route: string, method: string, code: number, seconds: number): void
}

export interface ApiSettings extends Pick<
  Config['api'],
  'bodyLimit' | 'rate' | 'trustedProxies' | 'waiters'
> {
  /** The kinds beside the built-in ones; default: none. */
  readonly kinds?: readonly Kind[]
  /** The name of the cluster for people; default: none. */
  readonly cluster?: string | null
  /** Default: without prices and teams. */
  readonly accounting?: Accounting
  readonly excludeNamespaces: readonly string[]
  /** The wakers, as history names a caller: `k8s:system:serviceaccount:…`; absent: there are none. */
  readonly waker?: string
  readonly auth: AuthSettings
}

/** A request for the console. */
export interface ConsoleRequest {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly header: (name: string) => string
  /** The address and port that it was received at. */
  readonly localAddress: string
  readonly localPort: number
}

export interface ConsoleAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | string | undefined
}

/** The web page, and its sign-in. */
export interface ConsolePages {
  /** undefined: not a path of the console. */
  answer(request: ConsoleRequest): Promise<ConsoleAnswer | undefined>
}

export interface ApiDeps {
  readonly workloads: Workloads
  readonly writer: Writer & LiveReader
  readonly reviews: Reviews
  /** Whether people scale a kind by its scale subresource; default: as most configured kinds. */
  readonly hasScale?: (kind: Kind) => boolean
  readonly rules: Rules
  readonly clock: Clock
  /** For what lasts a time: rates, and answers that are kept. */
  readonly monotonic: Monotonic
  readonly logger: Logger
  readonly settings: ApiSettings
  readonly observer: RequestObserver
  /** The web page; absent: none. */
  readonly console?: ConsolePages
  /** How often the rights of those who watch lists are asked again, in milliseconds. */
  readonly watchBeat?: number
  /** How long a client may leave what was sent unread, in milliseconds. */
  readonly watchUnread?: number
}

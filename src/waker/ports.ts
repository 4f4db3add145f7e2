import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Allocation } from '../domain/traffic/allocation.ts'
import type { Knock, KnockAnswer, KnockState } from '../domain/traffic/knock.ts'
import type { TrafficMode } from '../domain/traffic-mode.ts'

/** A port of a Service whose workloads are asleep, or were a moment ago. */
export interface SleepingPort {
  readonly namespace: string
  readonly service: string
  /** '' where the Service has one without a name. */
  readonly port: string
  readonly mode: TrafficMode
}

/** The same, by the slice that claims a port of ours for it. */
export interface ClaimedPort extends SleepingPort {
  /** Such as `deployments/web`. */
  readonly workloads: readonly string[]
}

/** Asks about the workloads behind one port; undefined: Dormouse cannot be asked now. */
export interface Knocking {
  look(): Promise<KnockAnswer | undefined>
  /** Asks to wake them, too. */
  wake(): Promise<KnockAnswer | undefined>
}

/** The slices of ours, kept current. */
export interface Allocations {
  /** By the names of their slices, `namespace/name`. */
  list(): Iterable<readonly [slice: string, allocation: Allocation]>
  onChange(listener: (slice: string, allocation: Allocation | undefined) => void): void
}

/** A pod's own address, or whatever else a Service leads to. */
export interface Target {
  readonly host: string
  readonly port: number
}

/** The ready endpoints of one Service in slices of others, kept current until it is closed. */
export interface ReadyEndpoints {
  /** Resolves once all are known; never before the cluster answers. */
  readonly listed: Promise<void>
  /** Whether there is one, for whatever port. */
  readonly isReady: boolean
  /** For the Service's port of this name. */
  of(port: string): readonly Target[]
  /** Called after each change, until the returned function is called. */
  onChange(listener: () => void): () => void
  close(): void
}

/** Begins to keep the ready endpoints of a Service. */
export type FollowEndpoints = (service: Pick<ClaimedPort, 'namespace' | 'service'>) => ReadyEndpoints

/** Sends one knock. @throws Error when it is not answered, or refused */
export type SendKnock = (knock: Knock, signal: AbortSignal) => Promise<KnockAnswer>

/** The protocol that the first bytes of a connection are of. */
export type Protocol = 'http1' | 'h2' | 'tls' | 'raw'

/** Why a connection is not joined to a pod. */
export type RefusalReason =
  'no-port' | 'full' | 'service-full' | 'silent' | 'automatic' | 'held' | 'off' | 'late'

/** The state that a knock found; failed: it was refused, or not answered. */
export type KnockResult = KnockState | 'failed'

/** Told about connections; the composition root turns it into metrics. */
export interface WakerObserver {
  knocked(result: KnockResult): void
  connected(protocol: Protocol): void
  refused(reason: RefusalReason): void
  /** `seconds` from its first byte. */
  joined(seconds: number): void
}

/** Answers a request to a port in the modes page and button. */
export type AnswerPage = (
  port: SleepingPort,
  knocking: Knocking,
  request: IncomingMessage,
  response: ServerResponse,
) => void

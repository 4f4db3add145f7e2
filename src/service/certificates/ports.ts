import type { Instant } from '../process/clock.ts'

/** A Secret's data, decoded. */
export type SecretData = Readonly<Record<string, string>>

export interface StoredSecret {
  readonly data: SecretData
  readonly resourceVersion: string
}

/**
 * One Secret. Writes return what is stored now, or `conflict` when somebody else wrote first: read it again then.
 * All throw when the cluster refuses or does not answer.
 */
export interface SecretStore {
  /** undefined: there is none. */
  read(): Promise<StoredSecret | undefined>
  create(data: SecretData): Promise<StoredSecret | 'conflict'>
  /** Replaces the whole data of exactly that version. */
  update(data: SecretData, resourceVersion: string): Promise<StoredSecret | 'conflict'>
  /**
   * Calls back with the Secret as it is and after every change, never with a version older than one that was read
   * or written here; undefined: it was deleted. Resolves when the signal is aborted, and never rejects.
   */
  watch(listener: (secret: StoredSecret | undefined) => void, signal: AbortSignal): Promise<void>
}

export interface CertificateObserver {
  /** When the serving certificate expires. */
  certificateExpires(at: Instant): void
}

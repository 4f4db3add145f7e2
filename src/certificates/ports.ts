import type { Instant } from '../clock.ts'

/** A Secret's data, decoded. */
export type SecretData = Readonly<Record<string, string>>

/** A Secret as it was read: its data decoded, and what a write of it has to name. */
export interface StoredSecret {
  readonly data: SecretData
  readonly resourceVersion: string
}

/**
 * One Secret. Writes answer what is stored now, or `conflict`: somebody else was there first, so read
 * again. All throw when the cluster refuses or does not answer.
 */
export interface SecretStore {
  /** undefined: there is none. */
  read(): Promise<StoredSecret | undefined>
  create(data: SecretData): Promise<StoredSecret | 'conflict'>
  /** Replaces the whole data of exactly that version. */
  update(data: SecretData, resourceVersion: string): Promise<StoredSecret | 'conflict'>
  /**
   * Tells of the Secret as it is and of every change, never of a version older than one that was read or
   * written here; undefined: it is gone. Resolves when the signal is aborted, and never rejects.
   */
  watch(listener: (secret: StoredSecret | undefined) => void, signal: AbortSignal): Promise<void>
}

export interface CertificateObserver {
  /** When the serving certificate runs out. */
  certificateExpires(at: Instant): void
}

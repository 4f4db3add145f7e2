import type { Instant } from '../../process/clock.ts'

export interface CertificateObserver {
  /** When the serving certificate expires. */
  certificateExpires(at: Instant): void
}

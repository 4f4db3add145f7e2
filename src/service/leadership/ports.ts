import type { Released } from '../../domain/deciding/released.ts'

export interface LeadershipObserver {
  /** True before the leading parts are started, false once they have stopped. */
  lead(is: boolean): void
  /** The Lease was taken from a live holder, which may still act for so many milliseconds: we wait for that. */
  leaseTaken?(from: string, milliseconds: number): void
  /** Called at each reading of the Lease; undefined: nobody has released the cluster. */
  released?(mark: Released | undefined): void
}

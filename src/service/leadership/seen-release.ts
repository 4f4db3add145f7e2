import type { Released } from '../../domain/deciding/released.ts'

/** Whether somebody has released the cluster, as this replica saw it when it read the Lease last. */
export class SeenRelease {
  #mark: Released | undefined
  #listener: () => void = () => {}

  /** undefined: nobody has. */
  get mark(): Released | undefined {
    return this.#mark
  }

  /** To be called once; the listener is called when the cluster was released, or no longer is. */
  onChange(listener: () => void): void {
    this.#listener = listener
  }

  seen(mark: Released | undefined): void {
    const before = this.#mark
    this.#mark = mark
    if (before?.by !== mark?.by || before?.since !== mark?.since) this.#listener()
  }
}

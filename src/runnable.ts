/** A part with a life: `start` resolves once it is ready, `stop` once nothing of it is left running. */
export interface Runnable {
  readonly name: string
  start(): Promise<void>
  stop(): Promise<void>
}

/**
 * A part that runs: `start` resolves once it is ready, `stop` once nothing of it is left running. `stop` may be called
 * while it starts, which makes `start` settle soon, and may be called again.
 */
export interface Runnable {
  readonly name: string
  start(): Promise<void>
  stop(): Promise<void>
}

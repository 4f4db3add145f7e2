import type { Cluster } from './cluster.ts'

/** A part between Dormouse and a cluster; stop it once Dormouse has ended. */
export interface Between {
  /** Path of the kubeconfig that leads there. */
  readonly kubeconfig: string
  stop(): Promise<void>
}

/** The world around Dormouse in the end-to-end tests. */
export interface World {
  /** Settings that a configuration has beside those of a test, which come first. */
  readonly settings: Readonly<Record<string, unknown>>
  between(cluster: Cluster): Promise<Between>
  /** Adds parts of a real cluster beside Dormouse. */
  settle(cluster: Cluster): Promise<void>
  /** After all tests. */
  clear(): void
  /** Lines for the end of the run. */
  readonly lines: readonly string[]
}

let world: World = {
  settings: {},
  between: async ({ dormouseKubeconfig }) => ({ kubeconfig: dormouseKubeconfig, stop: async () => {} }),
  settle: async () => {},
  clear() {},
  lines: [],
}

/** The world of this run: quiet, unless `hooks.ts` has turned something round (`world.ts`). */
export const around = (): World => world

export function turnRound(change: (quiet: World) => World): void {
  world = change(world)
}

import { Lifecycle } from '../../process/lifecycle.ts'
import type { Logger } from '../../process/logger.ts'
import type { Runnable } from '../../process/runnable.ts'

/** The parts that are there, to be started in order and stopped in reverse; the log names one that fails. */
export function lifecycleOf(parts: readonly (Runnable | undefined)[], logger: Logger): Lifecycle {
  return new Lifecycle(present(parts), ({ name }, call, err) =>
    logger.error({ part: name, err }, `a part of the service failed to ${call}`),
  )
}

export function present(parts: readonly (Runnable | undefined)[]): Runnable[] {
  return parts.filter((part) => part !== undefined)
}

/** A part that has nothing to start. */
export function stoppedBy(name: string, stop: () => void | Promise<void>): Runnable {
  return { name, start: async () => {}, stop: async () => stop() }
}

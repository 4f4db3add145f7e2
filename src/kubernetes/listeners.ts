import type { Logger } from '../service/process/logger.ts'
import type { KubernetesObserver } from './ports.ts'

/**
 * Listeners of the informer, called synchronously and in order. One that throws is logged and counted, and stops no
 * other.
 */
export class Listeners<Told extends readonly unknown[]> {
  readonly #listeners: ((...told: Told) => void)[] = []
  readonly #observer: Pick<KubernetesObserver, 'listenerFailed'>
  readonly #logger: Logger

  constructor(observer: Pick<KubernetesObserver, 'listenerFailed'>, logger: Logger) {
    this.#observer = observer
    this.#logger = logger
  }

  add(listener: (...told: Told) => void): void {
    this.#listeners.push(listener)
  }

  /** `about`: what the log says of it. */
  tell(about: object, ...told: Told): void {
    for (const listener of this.#listeners) {
      try {
        listener(...told)
      } catch (error) {
        this.#observer.listenerFailed()
        this.#logger.error({ err: error, ...about }, 'a listener of the informer failed')
      }
    }
  }
}

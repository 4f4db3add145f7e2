import type { Logger } from '../process/logger.ts'
import type { KubernetesObserver } from './ports.ts'

/**
 * Listeners of the informer, called synchronously and in order. A listener that throws is logged and counted, and stops
 * no other.
 */
export class Listeners<Arguments extends readonly unknown[]> {
  readonly #listeners: ((...given: Arguments) => void)[] = []
  readonly #observer: Pick<KubernetesObserver, 'listenerFailed'>
  readonly #logger: Logger

  constructor(observer: Pick<KubernetesObserver, 'listenerFailed'>, logger: Logger) {
    this.#observer = observer
    this.#logger = logger
  }

  add(listener: (...given: Arguments) => void): void {
    this.#listeners.push(listener)
  }

  /** `about`: fields for the log if a listener throws. */
  notify(about: object, ...given: Arguments): void {
    for (const listener of this.#listeners) {
      try {
        listener(...given)
      } catch (error) {
        this.#observer.listenerFailed()
        this.#logger.error({ err: error, ...about }, 'a listener of the informer failed')
      }
    }
  }
}

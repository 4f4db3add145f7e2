import type { Later } from '../../process/clock.ts'
import type { EventSubject } from '../ports.ts'
import { subjectOf, type Configuration } from './configuration.ts'
import { OverwriteBackoff, changeOf } from './overwrite-backoff.ts'
import { sameButPolicy, type MutatingWebhook } from './webhooks.ts'

interface Options {
  /**
   * Called when somebody keeps overwriting the configuration: with their change (`is pointed at …`) and the
   * milliseconds until it is restored.
   */
  readonly paused: (change: string, pause: number, on: EventSubject) => void
  readonly pauseEnded: () => void
  readonly later: Later
}

/** The version of a configuration that does not exist. */
const ABSENT = ''

function versionOf(object: Configuration | undefined): string {
  return object?.metadata.resourceVersion ?? ABSENT
}

/** Our own writes of the configuration: whether the watch has it yet, and whether somebody keeps undoing it. */
export class OwnWrites {
  readonly #options: Options
  readonly #overwrites = new OverwriteBackoff()
  /** The webhooks as we last wrote them; undefined once somebody's change of them was handled. */
  #written: readonly MutatingWebhook[] | undefined
  /** The version that our latest write replaced; undefined once the watch has shown another. */
  #writtenOver: string | undefined
  /** The configuration, also after it was deleted. */
  #latest: Configuration | undefined
  #endPause: (() => void) | undefined

  constructor(options: Options) {
    this.#options = options
  }

  /** The watch shows the configuration; undefined: it was deleted. */
  seen(object: Configuration | undefined): void {
    this.#latest = object ?? this.#latest
    if (!object || versionOf(object) !== this.#writtenOver) this.#writtenOver = undefined
  }

  /** We replaced this version; `webhooks` undefined: in a small part. */
  wrote(over: Configuration | undefined, webhooks: readonly MutatingWebhook[] | undefined): void {
    this.#writtenOver = versionOf(over)
    this.#written = webhooks ?? this.#written
  }

  /** Whether the watch still shows the version that we have replaced. */
  areOnTheirWay(object: Configuration | undefined): boolean {
    return this.#writtenOver === versionOf(object)
  }

  /** The configuration as we last wrote it, unless somebody's change of it was handled. */
  get written(): readonly MutatingWebhook[] | undefined {
    return this.#written
  }

  /** Whether it is left as somebody else wrote it, for the time being. */
  get arePaused(): boolean {
    return this.#endPause !== undefined
  }

  /**
   * Somebody undid what we wrote, and `desired` still asks for it: begins a pause if they keep doing so. True: it has
   * begun. `object` undefined: they deleted it.
   */
  pauseIfUndone(object: Configuration | undefined, desired: readonly MutatingWebhook[]): boolean {
    const { paused, pauseEnded, later } = this.#options
    if (!this.#written || !this.#latest || !sameButPolicy(this.#written, desired)) return false
    const pause = this.#overwrites.overwritten(performance.now())
    if (pause === 0) return false
    paused(changeOf(object, desired), pause, subjectOf(this.#latest))
    this.#written = undefined
    this.#endPause = later(() => {
      this.#endPause = undefined
      pauseEnded()
    }, pause)
    return true
  }

  stop(): void {
    this.#endPause?.()
  }
}

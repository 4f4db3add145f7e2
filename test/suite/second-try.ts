import type { Told } from './told.ts'

/**
 * Hears the files whose tests failed run once more, alone. A fault of ours fails again; one of a machine that is busy with
 * the other shares does not. Both are named at the end, so a test that needs two tries is seen and mended.
 */
export class SecondTry {
  #passed = 0
  #failed = 0

  hears(told: Told): void {
    if (told.event === 'passed') this.#passed += 1
    if (told.event === 'failed') this.#failed += 1
  }

  /** A process of tests ended without a word. */
  failed(): void {
    this.#failed += 1
  }

  get isGreen(): boolean {
    return this.#passed > 0 && this.#failed === 0
  }
}

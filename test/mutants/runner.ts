import { globSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { resolve } from 'node:path'
import type { MutantCoverage, StrykerOptions } from '@stryker-mutator/api/core'
import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin'
import {
  determineHitLimitReached,
  DryRunStatus,
  TestStatus,
  toMutantRunResult,
  type DryRunResult,
  type MutantRunOptions,
  type MutantRunResult,
  type TestResult,
  type TestRunner,
} from '@stryker-mutator/api/test-runner'
import fc from 'fast-check'
import Mocha from 'mocha'

// The test runner of `npm run mutants`, since Stryker's own for mocha does not load mocha 12: all mutants in one
// process, each with the tests that reach it, until one fails. Stryker starts another process for what is evaluated
// when a module is loaded, and after an endless loop.

enableCompileCache()
// A rule has an example, which tells more than a property does and takes less; and nobody reads the smallest case.
process.env['PROPERTY_SHARE'] ??= '0.15'
fc.configureGlobal({ endOnFailure: true })

/** The input and output of the changed code. */
interface Shared {
  activeMutant?: string | undefined
  currentTestId?: string | undefined
  hitCount?: number | undefined
  hitLimit?: number | undefined
  mutantCoverage?: MutantCoverage
}
const shared = ((globalThis as { __stryker__?: Shared }).__stryker__ ??= {})

/** Runs the tests with these full titles. */
class Among extends RegExp {
  readonly #titles: ReadonlySet<string>

  constructor(titles: readonly string[]) {
    super('')
    this.#titles = new Set(titles)
  }

  override test(title: string): boolean {
    return this.#titles.has(title)
  }
}

class MochaInOneProcess implements TestRunner {
  static readonly inject = tokens(commonTokens.options)
  readonly #mocha = new Mocha({ bail: true, timeout: 0, reporter: Mocha.reporters.Base })
  readonly #testFiles: readonly string[]
  #isLoaded = false

  constructor(options: StrykerOptions) {
    this.#testFiles = options['testFilesInOrder'] as string[]
  }

  capabilities(): { reloadEnvironment: boolean } {
    return { reloadEnvironment: false }
  }

  async dryRun(): Promise<DryRunResult> {
    const result = await this.#run()
    const { mutantCoverage } = shared
    return result.status === DryRunStatus.Complete && mutantCoverage ? { ...result, mutantCoverage } : result
  }

  async mutantRun({ activeMutant, testFilter, hitLimit }: MutantRunOptions): Promise<MutantRunResult> {
    Object.assign(shared, { activeMutant: activeMutant.id, hitLimit, hitCount: hitLimit && 0 })
    this.#mocha.grep(testFilter ? new Among(testFilter) : /^/)
    return toMutantRunResult(await this.#run())
  }

  async #run(): Promise<DryRunResult> {
    const tests: TestResult[] = []
    try {
      await this.#load()
      await new Promise<void>((done) => {
        const running = this.#mocha.run(() => done())
        running.on('test', (test) => (shared.currentTestId = test.fullTitle()))
        running.on('test end', () => (shared.currentTestId = undefined))
        running.on('pass', (test) => tests.push({ ...told(test), status: TestStatus.Success }))
        running.on('fail', (test, { message }: Error) =>
          tests.push({ ...told(test), status: TestStatus.Failed, failureMessage: message }),
        )
      })
    } catch (error) {
      return { status: DryRunStatus.Error, errorMessage: String(error) }
    }
    const timeout = determineHitLimitReached(shared.hitCount, shared.hitLimit)
    return timeout ?? { status: DryRunStatus.Complete, tests }
  }

  /** Files that are named several times are loaded at their first place. */
  async #load(): Promise<void> {
    if (this.#isLoaded) return
    this.#isLoaded = true
    this.#mocha.cleanReferencesAfterRun(false)
    const files = this.#testFiles.flatMap((pattern) => globSync(pattern).toSorted())
    for (const file of new Set(files)) this.#mocha.addFile(resolve(file))
    await this.#mocha.loadFilesAsync()
  }
}

function told(test: Mocha.Test): { id: string; name: string; timeSpentMs: number; fileName: string } {
  const title = test.fullTitle()
  return { id: title, name: title, timeSpentMs: test.duration ?? 0, fileName: test.file ?? '' }
}

export const strykerPlugins = [
  declareClassPlugin(PluginKind.TestRunner, 'mocha-in-one-process', MochaInOneProcess),
]

export const strykerValidationSchema = {
  properties: { testFilesInOrder: { type: 'array', items: { type: 'string' } } },
}

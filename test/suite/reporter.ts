import { relative } from 'node:path'
import { format } from 'node:util'
import Mocha from 'mocha'
import { whatIsLeftOut } from './need.ts'
import type { Told } from './told.ts'

const { Base } = Mocha.reporters
const { constants } = Mocha.Runner

/** Mocha's reporter of `npm test`: tells the parent process each result as it comes. */
// eslint-disable-next-line import/no-default-export -- mocha takes a module's default
export default class ToParent extends Base {
  /** Milliseconds by file. */
  readonly #spent: Record<string, number> = {}
  #since = performance.now()

  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options)
    runner.once(constants.EVENT_RUN_BEGIN, () => tell({ event: 'begun', tests: runner.total }))
    runner.on(constants.EVENT_TEST_PASS, () => tell({ event: 'passed' }))
    runner.on(constants.EVENT_TEST_PENDING, (test: Mocha.Test) =>
      tell({ event: 'skipped', title: test.fullTitle() }),
    )
    runner.on(constants.EVENT_TEST_FAIL, (test: Mocha.Test) =>
      tell({ event: 'failed', title: test.fullTitle(), file: pathOf(test), text: textOf(test) }),
    )
    runner.on(constants.EVENT_TEST_END, (test: Mocha.Test) => this.#ended(pathOf(test)))
  }

  /** The time since the last test belongs to the file of this one, hooks included. */
  #ended(file: string): void {
    const now = performance.now()
    this.#spent[file] = (this.#spent[file] ?? 0) + now - this.#since
    this.#since = now
  }

  override done(failures: number, ended?: (failures: number) => void): void {
    tell({ event: 'ended', spent: this.#spent, leftOut: whatIsLeftOut() }, () => ended?.(failures))
  }
}

/** A hook, too, is told with the file that it stands in. */
function pathOf({ file, parent }: Mocha.Test): string {
  return relative(process.cwd(), file ?? parent?.file ?? '')
}

/** As mocha prints it, with the difference between what was expected and what came. */
function textOf(test: Mocha.Test): string {
  const lines: string[] = []
  const print = Base.consoleLog
  Base.consoleLog = (...args: unknown[]) => void lines.push(format(...args))
  try {
    Base.list([test])
  } finally {
    Base.consoleLog = print
  }
  return lines.join('\n')
}

function tell(told: Told, sent: () => void = () => {}): void {
  if (process.send) process.send(told, sent)
  else sent()
}

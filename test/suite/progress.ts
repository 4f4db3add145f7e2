import { add, minutesOf } from './minutes.ts'
import type { SecondTry } from './second-try.ts'
import type { Told } from './told.ts'

/** Milliseconds between two lines where the output is no terminal. */
const PAUSE = 30_000
/** Titles of failures that the end repeats: a log's end alone may be read. */
const REPEATED = 60
/** Files whose failures get a second try: more than these are no accident. */
const TRIED_AGAIN = 3

interface Failure {
  readonly title: string
  /** Absent where a process of tests ended without a word. */
  readonly file?: string
}

/** Shows how far the tests are that several processes run, their failures as they come, and at the end what they found. */
export class Progress {
  readonly #begun = performance.now()
  #failures: Failure[] = []
  /** Titles of what passed at its second try alone. */
  readonly #late: string[] = []
  readonly #skipped: string[] = []
  readonly #closing: string[] = []
  readonly #spent = new Map<string, number>()
  readonly #leftOut = new Map<string, number>()
  readonly #out: NodeJS.WriteStream
  readonly #timer: NodeJS.Timeout
  #tests = 0
  #passed = 0

  constructor(out: NodeJS.WriteStream) {
    this.#out = out
    this.#timer = setInterval(() => this.#show(), out.isTTY ? 1000 : PAUSE)
  }

  hears(told: Told): void {
    if (told.event === 'begun') this.#tests += told.tests
    else if (told.event === 'passed') this.#passed += 1
    else if (told.event === 'skipped') this.#skipped.push(told.title)
    else if (told.event === 'closing') this.#closing.push(...told.lines)
    else if (told.event === 'failed') this.failed(told, told.text)
    else {
      for (const [file, milliseconds] of Object.entries(told.spent)) add(this.#spent, file, milliseconds)
      for (const [phrase, titles] of Object.entries(told.leftOut)) add(this.#leftOut, phrase, titles.length)
    }
  }

  /** Also where a process ends without having said so. */
  failed(failure: Failure, text: string): void {
    this.#failures.push(failure)
    this.#line(text)
  }

  /** The files to run once more, alone; none where so many failed that it is no accident, or where a process broke off. */
  filesToTryAgain(): string[] {
    const files = new Set(this.#failures.map(({ file = '' }) => file))
    return files.has('') || files.size > TRIED_AGAIN ? [] : [...files]
  }

  /** Takes what failed for passed if `second`, that heard the same files run alone, heard of no failure; and says so by name. */
  triedAgain(second: SecondTry): void {
    if (!second.isGreen) return
    this.#late.push(...this.#failures.map(({ title }) => title))
    this.#passed += this.#failures.length
    this.#failures = []
  }

  /** Whether all is well; prints the end. `rest`: the command that runs what was left out. */
  ended(rest: string): boolean {
    clearInterval(this.#timer)
    const lines = [...this.#closing, ...minutesOf(this.#spent)]
    if (this.#failures.length > 0)
      lines.push('failed:', ...this.#failures.slice(0, REPEATED).map(({ title }) => `  ${title}`))
    if (this.#late.length > 0)
      lines.push('failed at first, and passed alone:', ...this.#late.map((title) => `  ${title}`))
    if (this.#skipped.length > 0) lines.push('skipped:', ...this.#skipped.map((title) => `  ${title}`))
    const skipped = this.#skipped.length > 0 ? `, ${this.#skipped.length} skipped` : ''
    const late = this.#late.length > 0 ? `, ${this.#late.length} at the second try` : ''
    const leftOut = [...this.#leftOut].map(([phrase, count]) => `${count} ${phrase}`)
    const without = leftOut.length > 0 ? `; left out: ${leftOut.join(', ')}: ${rest}` : ''
    this.#line([...lines, ''].join('\n'))
    this.#out.write(
      `${this.#passed} passed, ${this.#failures.length} failed${late}${skipped} in ${this.#seconds()} s${without}\n`,
    )
    return this.#failures.length === 0 && this.#passed > 0
  }

  #show(): void {
    const line = `${this.#seconds()} s: ${this.#passed} of ${this.#tests} tests passed, ${this.#failures.length} failed`
    this.#out.write(this.#out.isTTY ? `\r\u001B[K${line}` : `${line}\n`)
  }

  #line(text: string): void {
    this.#out.write(`${this.#out.isTTY ? '\r\u001B[K' : ''}${text}\n`)
  }

  #seconds(): number {
    return Math.round((performance.now() - this.#begun) / 1000)
  }
}

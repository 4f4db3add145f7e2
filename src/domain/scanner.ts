/** A cursor over a text that skips white space. */
export class Scanner {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
    this.match(/\s*/y)
  }

  atEnd(): boolean {
    return this.#at === this.#text.length
  }

  mark(): number {
    return this.#at
  }

  reset(mark: number): void {
    this.#at = mark
  }

  sees(what: string | RegExp): boolean {
    if (typeof what === 'string') return this.#text.startsWith(what, this.#at)
    what.lastIndex = this.#at
    return what.test(this.#text)
  }

  skip(character: string): boolean {
    const seen = this.sees(character)
    if (seen) this.#advance(character.length)
    return seen
  }

  /** Consumes a sticky expression's match at the cursor. */
  match(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at
    const found = expression.exec(this.#text)
    if (found) this.#advance(found[0].length)
    return found
  }

  /** The text from a mark on. */
  from(mark: number): string {
    return this.#text.slice(mark)
  }

  #advance(length: number): void {
    this.#at += length
    while (/\s/.test(this.#text.charAt(this.#at))) this.#at += 1
  }
}

/** A watch of a fake cluster: it tells at once, unless it is cut. */
export class FakeWatch {
  #heldBack: (() => void)[] | undefined

  /** It tells nothing until `mend`. */
  cut(): void {
    this.#heldBack = []
  }

  /** It tells all that came meanwhile, in order. */
  mend(): void {
    const held = this.#heldBack ?? []
    this.#heldBack = undefined
    for (const tell of held) tell()
  }

  tell(event: () => void): void {
    if (this.#heldBack) this.#heldBack.push(event)
    else event()
  }
}

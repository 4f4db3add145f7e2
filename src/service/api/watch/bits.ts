/** A set of small numbers, eight to a byte: what a client of 100,000 workloads has takes 12 KB. */
export class Bits {
  #bytes = new Uint8Array(64)
  #size = 0

  get size(): number {
    return this.#size
  }

  has(index: number): boolean {
    return (((this.#bytes[index >> 3] ?? 0) >> (index & 7)) & 1) === 1
  }

  add(index: number): void {
    if (!this.has(index)) this.#size += 1
    const at = index >> 3
    if (at >= this.#bytes.length) {
      const larger = new Uint8Array(Math.max(2 * this.#bytes.length, at + 1))
      larger.set(this.#bytes)
      this.#bytes = larger
    }
    this.#bytes[at] = (this.#bytes[at] ?? 0) | (1 << (index & 7))
  }

  delete(index: number): void {
    if (this.has(index)) this.#size -= 1
    const at = index >> 3
    if (at < this.#bytes.length) this.#bytes[at] = (this.#bytes[at] ?? 0) & ~(1 << (index & 7))
  }
}

import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-ecb'
const NONCE = 4
const POSITION = 6
const LIST = 6

/**
 * Makes the ids of events: which list of which caller it is, what they could see, and a position in the log. An id is one
 * block of AES with something random in it, so that it does not tell how much happens that its reader may not see. Only
 * this process can read it.
 */
export class EventIds {
  readonly #key = randomBytes(32)

  /** `list`: the result of `digest`. */
  seal(list: Buffer, position: number): string {
    const block = Buffer.alloc(NONCE + POSITION + LIST)
    randomBytes(NONCE).copy(block)
    block.writeUIntBE(position, NONCE, POSITION)
    list.copy(block, NONCE + POSITION, 0, LIST)
    const cipher = createCipheriv(CIPHER, this.#key, null).setAutoPadding(false)
    return Buffer.concat([cipher.update(block), cipher.final()]).toString('base64url')
  }

  /** undefined: it is not an id of this list that this process made. */
  open(list: Buffer, id: string): number | undefined {
    const sealed = Buffer.from(id, 'base64url')
    if (sealed.length !== NONCE + POSITION + LIST) return undefined
    const decipher = createDecipheriv(CIPHER, this.#key, null).setAutoPadding(false)
    const block = Buffer.concat([decipher.update(sealed), decipher.final()])
    if (!block.subarray(NONCE + POSITION).equals(list.subarray(0, LIST))) return undefined
    return block.readUIntBE(NONCE, POSITION)
  }
}

/** Differs for lists that differ, and for what their caller can see of them. */
export function digest(...parts: readonly (string | undefined)[]): Buffer {
  return createHash('sha256').update(JSON.stringify(parts)).digest()
}

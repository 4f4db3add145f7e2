const TOTAL = 4 * 1024
const EACH = 256

/**
 * Takes warnings for a client and tells, after each, the `Warning` header's values so far. Equal ones are told once;
 * beyond 4096 characters each is cut to 256, and those that still find no room are dropped.
 * Source: the API server's warning recorder, and RFC 7234, section 5.5.
 */
export function warningRecorder(write: (headers: string[]) => void): (text: string) => void {
  const warnings = new Set<string>()
  return (text) => {
    warnings.add(text)
    const all = [...warnings]
    const isLong = all.reduce((total, each) => total + each.length, 0) > TOTAL
    let room = TOTAL
    const told = (isLong ? all.map((each) => each.slice(0, EACH)) : all).filter((each) => {
      room -= each.length
      return room >= 0
    })
    write(told.map(header))
  }
}

/** Bytes of UTF-8, which is how Go writes them; control characters would break the header. */
function header(text: string): string {
  const printable = text.replaceAll(/\p{Cc}+/gu, ' ').replaceAll(/["\\]/g, '\\$&')
  return `299 - "${Buffer.from(printable).toString('latin1')}"`
}

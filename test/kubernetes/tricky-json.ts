import fc from 'fast-check'

/** Any text, or one of parts that JSON has to escape or that look like JSON, as these. */
export function anyText(tricky: readonly string[]): fc.Arbitrary<string> {
  const part = fc.constantFrom(...tricky, '\\', '"', 'é')
  return fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.array(part).map((parts) => parts.join('')),
  )
}

/** JSON.parse of Node 24 (V8 13.6) sometimes misreads a key of escaped characters, like `"\\n"` or `"\\\\\""`. */
export const isReadAsKey = (name: string) => JSON.stringify(name) === `"${name}"`

import fc from 'fast-check'

/** Any text, or one of parts that JSON has to escape or that look like JSON, as these. */
export function anyText(tricky: readonly string[]): fc.Arbitrary<string> {
  const part = fc.constantFrom(...tricky, '\\', '"', 'é')
  return fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.array(part).map((parts) => parts.join('')),
  )
}

/** JSON.parse of Node 24 (V8 13.6) sometimes reads a key of one escaped character, like `"\\n"`, as `\\`. */
export const isReadAsKey = (name: string) => name.length !== 1 || JSON.stringify(name).length === 3

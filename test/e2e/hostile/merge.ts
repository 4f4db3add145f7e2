type Json = Readonly<Record<string, unknown>>

/** Both objects in one, `b`'s values winning; a null of `b` stays null, as a client may send it. */
export function merged(a: unknown, b: unknown): unknown {
  if (!isJson(a) || !isJson(b)) return b === undefined ? a : b
  const keys = new Set([...Object.keys(a), ...Object.keys(b)])
  return Object.fromEntries([...keys].map((key) => [key, merged(a[key], b[key])]))
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

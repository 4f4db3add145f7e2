import fc from 'fast-check'

/** One change of a JSON document: `at` picks the place, counted round all that there are. */
interface Mutation {
  readonly at: number
  readonly how: 'replace' | 'remove' | 'add' | 'copy'
  readonly key: string
  readonly value: unknown
}

type Json = Record<string, unknown>

interface Place {
  readonly parent: Json
  readonly key: string
}

/** Keys that are dangerous where objects have prototypes, or maps are searched by name. */
const KEY = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'length',
    '0',
    '',
    'x',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
)

/** Values that a program may not expect where it reads another. */
const VALUE = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, '', {}, [], 0, -1, 1.5, 2 ** 31, -(2 ** 31), 2 ** 53, 1e300),
  fc.constantFrom(
    '+275760-09-13T00:00:00.000Z',
    '9999-12-31T23:59:59.999Z',
    '0000-01-01T00:00:00Z',
    'NaN',
    '\0',
  ),
  fc.constantFrom('\ud800', '\u202e', '🐭'.repeat(100), 'x'.repeat(300)),
  fc.integer({ min: 1, max: 1000 }).map(nested),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.jsonValue(),
)

const MUTATION: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat(),
  how: fc.constantFrom('replace', 'replace', 'remove', 'add', 'copy'),
  key: KEY,
  value: VALUE,
})

/** A document with one to four changes anywhere in it: values replaced, keys removed, added, or copied from elsewhere. */
export function mutated(documents: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(documents, fc.array(MUTATION, { minLength: 1, maxLength: 4 }))
    .map(([document, mutations]) => {
      const root: Json = { root: structuredClone(document) }
      // A constant is one object in all cases: changed in place, it would keep other cases' values, or itself.
      for (const mutation of mutations) apply(root, { ...mutation, value: structuredClone(mutation.value) })
      return root['root']
    })
}

function apply(root: Json, { at, how, key, value }: Mutation): void {
  const places = placesIn(root)
  const place = places[at % places.length]
  if (!place) return
  const present = place.parent[place.key]
  if (how === 'remove') delete place.parent[place.key]
  else if (how === 'replace') set(place, value)
  else if (how === 'add' && isContainer(present)) set({ parent: present, key }, value)
  else if (how === 'copy') {
    const other = places[(at * 31 + 7) % places.length]
    if (other) set(place, structuredClone(other.parent[other.key]))
  }
}

/** By a definition, so that `__proto__` is a key like any other. */
function set({ parent, key }: Place, value: unknown): void {
  // An array takes an index alone.
  const name = Array.isArray(parent) && !/^\d$/.test(key) ? String(parent.length) : key
  Object.defineProperty(parent, name, { value, enumerable: true, configurable: true, writable: true })
}

/** In the order of a walk, without recursion: documents may be nested deeply. */
function placesIn(root: Json): Place[] {
  const places: Place[] = []
  const open: unknown[] = [root]
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (!isContainer(value)) continue
    for (const key of Object.keys(value)) {
      places.push({ parent: value, key })
      open.push(value[key])
    }
  }
  return places
}

function isContainer(value: unknown): value is Json {
  return typeof value === 'object' && value !== null
}

function nested(depth: number): unknown {
  return JSON.parse('['.repeat(depth) + ']'.repeat(depth))
}

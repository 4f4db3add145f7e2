import { isRecord, type Schema } from '../../domain/json-schema.ts'
import { nameOf, pointerTo } from '../../domain/json-pointer.ts'
import type { ConfigDocument } from './document.ts'
import type { Setting } from './environment.ts'

/** A copy of the file's value with the settings put in; later settings override earlier ones. */
export function merged(value: unknown, settings: readonly Setting[], schema: Schema): unknown {
  const root = copied(value, schema)
  for (const { path, value: given } of settings) put(root, path, copied(given))
  return root
}

/** Puts presets into `value`, which `merged` made, where neither the file nor a setting has a value. */
export function preset(value: unknown, presets: readonly Setting[]): void {
  for (const { path, value: given } of presets) if (at(value, path) === undefined) put(value, path, given)
}

/** Answers where the value at a JSON pointer comes from: a setting, a place in the file, or `default`. */
export function sourcesOf(
  document: ConfigDocument,
  settings: readonly Setting[],
): (pointer: string) => string {
  const given = settings.map(({ path, source }) => ({ prefix: `${pointerTo(path)}/`, source }))
  return (pointer) => {
    const covering = given.filter(({ prefix }) => `${pointer}/`.startsWith(prefix))
    const nearest = covering.toSorted((a, b) => b.prefix.length - a.prefix.length)[0]
    return nearest?.source ?? document.sourceOf(pathOf(pointer)) ?? 'default'
  }
}

function pathOf(pointer: string): string[] {
  return pointer.split('/').slice(1).map(nameOf)
}

/** A deep copy that shares nothing, unlike YAML's aliases; a section that is null becomes an empty one. */
function copied(value: unknown, schema?: Schema): unknown {
  if (Array.isArray(value)) return value.map((item) => copied(item, schema?.items))
  if (isRecord(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, copied(item, schema?.properties?.[key])]),
    )
  }
  return value === null && schema?.type === 'object' ? {} : value
}

/** Does nothing where a value on the path is not a section: validation reports that one. */
function put(root: unknown, path: readonly string[], value: unknown): void {
  const [last = '', ...above] = path.toReversed()
  let section = root
  for (const step of above.toReversed()) {
    if (!isRecord(section)) return
    section = section[step] ??= {}
  }
  if (isRecord(section)) section[last] = value
}

function at(root: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((section, step) => (isRecord(section) ? section[step] : undefined), root)
}

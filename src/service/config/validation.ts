import { Ajv, type ErrorObject } from 'ajv'
import { stepOf } from '../../domain/workload/json-pointer.ts'
import { preciseDurationIn, unitAdvice, type Bounds } from '../../domain/schedule/duration.ts'
import { adviceFor, CHECKS } from './checks.ts'
import { fault, shown, unknownName, type ConfigFault } from './faults.ts'
import type { KeySchema } from './keys.ts'
import { CONFIG_SCHEMA } from './schema.ts'

type Parse = (text: string, bounds: Bounds) => number | undefined

interface Place {
  readonly parentData: Record<PropertyKey, unknown>
  readonly parentDataProperty: string | number
}

/** A keyword that replaces a text by its number, which must be within [least, most]. */
function unit(parse: Parse) {
  return (bounds: Bounds, text: string, _schema: unknown, place?: Place): boolean => {
    const value = parse(text, bounds)
    if (value === undefined || !place) return false
    place.parentData[place.parentDataProperty] = value
    return true
  }
}

const ajv = new Ajv({
  allErrors: true,
  verbose: true,
  useDefaults: true,
  allowUnionTypes: true,
  // A test checks the schema itself: compiling JSON Schema's own takes 30 ms at each start.
  meta: false,
  validateSchema: false,
})
ajv.addVocabulary(['expects'])
ajv.addKeyword({ keyword: 'duration', type: 'string', modifying: true, validate: unit(preciseDurationIn) })
ajv.addKeyword({ keyword: 'size', type: 'string', modifying: true, validate: unit(parseSize) })
ajv.addKeyword({
  keyword: 'check',
  type: 'string',
  validate: (name: string, value: string) => CHECKS[name]?.(value) ?? false,
})
const validate = ajv.compile(CONFIG_SCHEMA)

/** Fills in defaults and replaces units by numbers, in place; returns one fault for each key that is wrong. */
export function invalidValues(value: unknown, sourceOf: (pointer: string) => string): ConfigFault[] {
  validate(value)
  // Faults of a name are reported once, by `propertyNames`.
  const errors = (validate.errors ?? []).filter(({ propertyName }) => propertyName === undefined)
  const faults = errors.map((error) => faultOf(error, sourceOf))
  return [...new Map(faults.map((each) => [each.pointer, each])).values()]
}

function faultOf(error: ErrorObject, sourceOf: (pointer: string) => string): ConfigFault {
  const { instancePath: pointer, keyword, data } = error
  const schema = error.parentSchema as KeySchema
  if (keyword === 'additionalProperties') {
    const { additionalProperty: name } = error.params as { additionalProperty: string }
    const unknown = `${pointer}/${stepOf(name)}`
    return fault(unknown, sourceOf(unknown), unknownName('key', name, Object.keys(schema.properties ?? {})))
  }
  if (keyword === 'propertyNames') {
    const { propertyName: name } = error.params as { propertyName: string }
    const unknown = `${pointer}/${stepOf(name)}`
    return fault(unknown, sourceOf(unknown), schema.propertyNames?.expects ?? 'another name', shown(name))
  }
  if (keyword === 'maxProperties') {
    const { limit } = error.params as { limit: number }
    const count = Object.keys(data as object).length
    return fault(pointer, sourceOf(pointer), `at most ${limit} entries`, String(count))
  }
  if (keyword === 'required') {
    const { missingProperty: name } = error.params as { missingProperty: string }
    const expects = schema.properties?.[name]?.expects ?? 'a value'
    return fault(`${pointer}/${name}`, sourceOf(pointer), expects, 'nothing')
  }
  const expects = keyword === 'uniqueItems' ? `${schema.expects}, each once` : schema.expects
  const advice =
    keyword === 'duration'
      ? unitAdvice(String(data))
      : keyword === 'check'
        ? adviceFor(error.schema, String(data))
        : ''
  return fault(pointer, sourceOf(pointer), expects, `${shown(data)}${advice}`)
}

const SIZE = /^(\d{1,9})(B|KiB|MiB|GiB)$/
const BYTES: Readonly<Record<string, number>> = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 }

/** Bytes of `512B`, `16KiB`, `8MiB` or `1GiB`; undefined: the text is not a size within these bounds. */
export function parseSize(text: string, [least, most]: readonly [number, number]): number | undefined {
  const [, count, unit] = SIZE.exec(text) ?? []
  const bytes = unit === undefined ? undefined : BYTES[unit]
  const size = Number(count) * (bytes ?? NaN)
  return size >= least && size <= most ? size : undefined
}

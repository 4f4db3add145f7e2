import { Ajv, type ErrorObject } from 'ajv'
import { EXPECTED, READ_AS, type Schema } from '../../domain/json-schema.ts'
import { readAs, SELDOM } from '../../domain/validation.ts'
import { stepOf } from '../../domain/json-pointer.ts'
import { preciseDurationIn, unitAdvice, type Bounds } from '../../domain/schedule/duration.ts'
import { READERS } from './checks.ts'
import { fault, shown, unknownName, type ConfigFault } from './faults.ts'
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

const ajv = new Ajv({ ...SELDOM, useDefaults: true })
ajv.addKeyword(EXPECTED)
ajv.addKeyword({ keyword: 'duration', type: 'string', modifying: true, validate: unit(preciseDurationIn) })
ajv.addKeyword({ keyword: 'size', type: 'string', modifying: true, validate: unit(parseSize) })
ajv.addKeyword(readAs(READERS))
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
  const schema = error.parentSchema as Schema
  if (keyword === 'additionalProperties') {
    const { additionalProperty: name } = error.params as { additionalProperty: string }
    const unknown = `${pointer}/${stepOf(name)}`
    return fault(unknown, sourceOf(unknown), unknownName('key', name, Object.keys(schema.properties ?? {})))
  }
  if (keyword === 'propertyNames') {
    const { propertyName: name } = error.params as { propertyName: string }
    const unknown = `${pointer}/${stepOf(name)}`
    return fault(unknown, sourceOf(unknown), schema.propertyNames?.[EXPECTED] ?? 'another name', shown(name))
  }
  if (keyword === 'maxProperties') {
    const { limit } = error.params as { limit: number }
    const count = Object.keys(data as object).length
    return fault(pointer, sourceOf(pointer), `at most ${limit} entries`, String(count))
  }
  if (keyword === 'required') {
    const { missingProperty: name } = error.params as { missingProperty: string }
    const expected = schema.properties?.[name]?.[EXPECTED] ?? 'a value'
    return fault(`${pointer}/${name}`, sourceOf(pointer), expected, 'nothing')
  }
  const expected = `${schema[EXPECTED]}${keyword === 'uniqueItems' ? ', each once' : ''}`
  return fault(pointer, sourceOf(pointer), expected, `${shown(data)}${adviceOf(error)}`)
}

function adviceOf({ keyword, data, message }: ErrorObject): string {
  if (keyword === 'duration') return unitAdvice(String(data))
  return keyword === READ_AS && message ? `: ${message}` : ''
}

const SIZE = /^(\d{1,9})(B|KiB|MiB|GiB)$/
const BYTES: Readonly<Record<string, number>> = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 }

/** Bytes of `512B`, `16KiB`, `8MiB` or `1GiB`; undefined: the text is not a size within these bounds. */
function parseSize(text: string, [least, most]: readonly [number, number]): number | undefined {
  const [, count, unit] = SIZE.exec(text) ?? []
  const bytes = unit === undefined ? undefined : BYTES[unit]
  const size = Number(count) * (bytes ?? NaN)
  return size >= least && size <= most ? size : undefined
}

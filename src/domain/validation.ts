import { Ajv, type FuncKeywordDefinition, type ValidateFunction } from 'ajv'
import type { DataValidateFunction } from 'ajv/dist/types/index.js'
import { READ_AS, type Reader, type Schema } from './json-schema.ts'

/** A test checks the schemas themselves: compiling JSON Schema's own takes 30 ms at each start. */
const OPTIONS = { allowUnionTypes: true, meta: false, validateSchema: false } as const

/** For checks that run seldom and tell all faults: compiling takes half the time, and the check a little longer. */
export const SELDOM = { ...OPTIONS, allErrors: true, verbose: true, code: { optimize: false } } as const

const ajv = new Ajv({ ...OPTIONS, useDefaults: true })

/** Compiles a schema to a check that fills in defaults; `errors` holds the faults of the value checked last. */
export function compile<Value>(schema: Schema<Value>): ValidateFunction<Value> {
  return ajv.compile<Value>(schema)
}

/** The first fault of the value checked last: `/pin/by must be string`. */
export function firstFault({ errors }: ValidateFunction): string {
  const [fault] = errors ?? []
  return `${fault?.instancePath || '/'} ${fault?.message ?? 'is not valid'}`
}

/** The keyword `READ_AS`, by these readers; the reader's text is the error's message. */
export function readAs(readers: Readonly<Record<string, Reader>>): FuncKeywordDefinition {
  const compile = (name: string, parentSchema: object): DataValidateFunction => {
    const faultIn = readers[name]
    if (!faultIn) throw new TypeError(`unknown reader ${name}`)
    const read: DataValidateFunction = (text: string) => {
      const message = faultIn(text)
      read.errors = message === undefined ? [] : [{ keyword: READ_AS, message, parentSchema }]
      return message === undefined
    }
    return read
  }
  return { keyword: READ_AS, schemaType: 'string', type: 'string', compile }
}

import type { FuncKeywordDefinition } from 'ajv'
import type { DataValidateFunction } from 'ajv/dist/types/index.js'
import { READ_AS, type Reader } from './json-schema.ts'

/** A test checks the schemas themselves: compiling JSON Schema's own takes 30 ms at each start. */
export const OPTIONS = { allowUnionTypes: true, meta: false, validateSchema: false } as const

/** The keyword `READ_AS` for another validator: a fault's message is what its reader says. */
export function readAs(readers: Readonly<Record<string, Reader>>): FuncKeywordDefinition {
  const compile = (name: string, parentSchema: object): DataValidateFunction => {
    const faultIn = readers[name]
    if (!faultIn) throw new TypeError(`unknown reader ${name}`)
    const read: DataValidateFunction = (text: string) => {
      const message = faultIn(text)
      read.errors = message === undefined ? [] : [{ message, parentSchema }]
      return message === undefined
    }
    return read
  }
  return { keyword: READ_AS, schemaType: 'string', type: 'string', compile }
}

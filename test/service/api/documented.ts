import { expect } from 'chai'
import type { ValidateFunction } from 'ajv/dist/2020.js'
import { openapi } from '../../../src/service/api/openapi/document.ts'
import { documentValidator } from '../../../src/service/api/validation.ts'

interface Documented {
  readonly template: RegExp
  /** By method in capitals: the pointer of each answer's schema by its status. */
  readonly answers: ReadonlyMap<string, ReadonlyMap<string, string>>
}

type Responses = Readonly<Record<string, { readonly $ref?: string }>>

const ajv = documentValidator()
const compiled = new Map<string, ValidateFunction>()
const paths: readonly Documented[] = Object.entries(openapi.paths).map(([path, item]) => ({
  template: new RegExp(`^${path.replaceAll('.', String.raw`\.`).replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  answers: new Map(
    Object.entries(item as Record<string, { readonly responses: Responses }>).map(([method, operation]) => [
      method.toUpperCase(),
      schemasOf(operation.responses, `/paths/${escaped(path)}/${method}/responses`),
    ]),
  ),
}))

/**
 * Fails unless the document has this status for the request, and its schema allows the answer. `path` is without the
 * query. An undocumented request gets one of the document's errors.
 */
export function expectDocumented(method: string, path: string, status: number, body: unknown): void {
  const answers = paths.find(({ template }) => template.test(path))?.answers.get(method)
  const what = `${method} ${path.slice(0, 200)} answered ${status}`
  expect(answers ? [...answers.keys()] : Object.keys(openapi.components.responses), what).to.include(
    answers ? String(status) : `Error${status}`,
  )
  const allows = validatorOf(answers?.get(String(status)) ?? '/components/schemas/ErrorAnswer')
  expect(allows(body), `${what}: ${ajv.errorsText(allows.errors)}`).to.equal(true)
}

/** Fails unless the document has such an event of a watched list, and its schema allows the data. */
export function expectDocumentedEvent({ event, data }: { event: string; data: unknown }): void {
  const { oneOf } = openapi.components.schemas['WatchEvent'] as {
    readonly oneOf: readonly {
      readonly properties: { readonly event: { readonly enum: readonly string[] } }
    }[]
  }
  const index = oneOf.findIndex(({ properties }) => properties.event.enum.includes(event))
  expect(index, `the event ${event} is documented`).to.be.at.least(0)
  const allows = validatorOf(`/components/schemas/WatchEvent/oneOf/${index}/properties/data/contentSchema`)
  expect(allows(data), `the event ${event}: ${ajv.errorsText(allows.errors)}`).to.equal(true)
}

function validatorOf(pointer: string): ValidateFunction {
  const known = compiled.get(pointer) ?? ajv.compile({ $ref: `openapi#${pointer}` })
  compiled.set(pointer, known)
  return known
}

function schemasOf(responses: Responses, at: string): Map<string, string> {
  const inAnswer = `content/${escaped('application/json')}/schema`
  return new Map(
    Object.entries(responses).map(([status, { $ref }]) => [
      status,
      `${$ref?.slice(1) ?? `${at}/${status}`}/${inAnswer}`,
    ]),
  )
}

/** A step of a JSON pointer, as a part of a URI. */
function escaped(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))
}

import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectralCore from '@stoplight/spectral-core'
import spectralRulesets from '@stoplight/spectral-rulesets'
import { expect } from 'chai'
import { openapi } from '../../../src/service/api/openapi/document.ts'
import { errorExample, EXAMPLES } from '../../../src/service/api/openapi/examples.ts'
import { READERS } from '../../../src/service/api/openapi/formats.ts'
import { SCHEMAS } from '../../../src/service/api/openapi/schemas.ts'
import { documentValidator } from '../../../src/service/api/validation.ts'
import { aWorkload } from '../../support/fake-cluster.ts'
import { Service } from './service.ts'

/** The complaints of both linters. */
const BARE = { openapi: '3.1.0', info: { title: 'Bare', version: '1' }, paths: {} }

/** The finds of spectral's `spectral:oas`. */
async function spectralFaults(document: object): Promise<string[]> {
  const spectral = new spectralCore.Spectral()
  spectral.setRuleset(
    new spectralCore.Ruleset({ extends: [[spectralRulesets.oas, 'recommended']], rules: {} }),
  )
  const found = await spectral.run(JSON.parse(JSON.stringify(document)) as Record<string, unknown>)
  return found.map(({ code, message, path }) => `${code} at ${path.join('/')}: ${message}`)
}

/** The finds of redocly's `recommended`. */
async function redoclyFaults(document: object): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'] })
  const source = JSON.stringify(document)
  const found = await lintFromString({ source, config, absoluteRef: '/openapi.json' })
  return found.map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer}: ${message}`)
}

describe('the OpenAPI document', () => {
  for (const [linter, faultsOf] of Object.entries({
    "spectral's rules for OpenAPI": spectralFaults,
    "redocly's recommended rules": redoclyFaults,
  })) {
    it(`passes ${linter} without a warning`, async () => {
      expect(await faultsOf(openapi)).to.deep.equal([])
      expect(await faultsOf(BARE), 'they can fail').not.to.deep.equal([])
    }).timeout(60_000)
  }

  it('has an example for every body, every parameter that needs one, and every answer', () => {
    for (const [path, item] of Object.entries(openapi.paths))
      for (const [method, { responses, ...operation }] of Object.entries(item) as [string, Documented][]) {
        const what = `${method} ${path}`
        expect(responses['200']?.content['application/json'].example, what).to.be.an('object')
        if (operation.requestBody)
          expect(operation.requestBody.content['application/json'].example, what).to.be.an('object')
      }
  })

  it('has links to the next page and to the workload: each to an operation, with parameters that it takes', () => {
    const operations = Object.values(openapi.paths).flatMap((item) => Object.values(item) as Linked[])
    const taken = new Map(
      operations.map(({ operationId, parameters = [] }) => [operationId, parameters.map(({ name }) => name)]),
    )
    const links = operations.flatMap(({ responses }) => Object.entries(responses['200']?.links ?? {}))
    expect(new Set(links.map(([name]) => name))).to.deep.equal(new Set(['next', 'workload']))
    for (const [, { operationId, parameters }] of links)
      expect(taken.get(operationId), operationId).to.include.members(Object.keys(parameters))
  })

  const ajv = documentValidator()
  for (const [name, example] of Object.entries({ ...EXAMPLES, ErrorAnswer: errorExample('CONFLICT') }))
    it(`has an example of ${name} that its schema allows`, () => {
      const allows = ajv.compile({ $ref: `openapi#/components/schemas/${name}` })
      expect(allows(example), ajv.errorsText(allows.errors)).to.equal(true)
    })
})

interface Linked {
  readonly operationId: string
  readonly parameters?: readonly { readonly name: string }[]
  readonly responses: Readonly<
    Record<string, { readonly links?: Readonly<Record<string, { operationId: string; parameters: object }>> }>
  >
}

interface Documented {
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}

interface Content {
  readonly content: { readonly 'application/json': { readonly example?: unknown } }
}

describe('time zones', () => {
  let service: Service

  before(async () => {
    service = await Service.start()
    service.cluster.put(aWorkload())
  })
  after(() => service.stop())

  const setting = SCHEMAS['Setting'] as { properties: { timezone: { enum: string[] } } }
  const documented = setting.properties.timezone.enum
  const answerTo = (timezone: string | undefined) =>
    service.call('POST shop/deployments/web/enable?dryRun=true', { body: { timezone } })

  it('of the document are all accepted by the API, and so are former names, in any case', async () => {
    expect(documented).to.have.length.greaterThan(400)
    expect(documented.filter((zone) => READERS['timezone']?.(zone) !== undefined)).to.deep.equal([])
    for (const timezone of ['', 'UTC', documented.at(-1), 'europe/berlin', 'US/Pacific', 'Etc/GMT+5'])
      expect((await answerTo(timezone)).status, timezone).to.equal(200)
  })

  it('that are unknown are refused with one text', async () => {
    expect((await answerTo('Mars/Base')).body.error.message).to.equal(
      "body /timezone unknown time zone 'Mars/Base': write an IANA time zone such as Europe/Berlin",
    )
    expect((await answerTo('BST')).body.error.message).to.equal(
      "body /timezone unknown time zone 'BST': write an IANA time zone such as Europe/London",
    )
  })
})

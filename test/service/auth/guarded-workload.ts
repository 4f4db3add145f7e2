import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { ApiAnswer } from '../../support/api-client.ts'
import { eventually, inParallel } from '../../support/eventually.ts'
import { rawRequest, type RawAnswer } from '../../support/raw-http.ts'
import { awakeNow } from '../../support/schedules.ts'
import type { Served } from '../../support/served.ts'
import { bearer, type Refused, type Sent } from './forged-tokens/row.ts'

/** Parts of tokens: nothing that a log says by itself is such a long word. */
const TOKEN_PART = /[\w-]{16,}/g

/** RFC 6750, section 3. */
const CHALLENGE = /^Bearer realm="dormouse"(, error="invalid_token", error_description="[^"\\]+")?$/

type Error = ApiAnswer['body']['error']

/** A workload that only good tokens may put to sleep. The service logs at the level `debug`, where it says most. */
export class GuardedWorkload {
  readonly #here: Served
  readonly #name: string

  private constructor(here: Served, name: string) {
    this.#here = here
    this.#name = name
  }

  static async create(here: Served, name: string): Promise<GuardedWorkload> {
    await here.enabled('deployments', name, { replicas: 2, schedule: awakeNow() })
    return new GuardedWorkload(here, name)
  }

  /** Asks to put it to sleep. */
  snooze(token: string, query?: string): Promise<RawAnswer> {
    return this.#snooze([bearer(token)], query)
  }

  /** Sends a request that must be refused so; the workload stays as it is, and the log contains nothing of the token. */
  async expectRefused(sent: Sent, { status, message }: Refused): Promise<void> {
    const request = typeof sent === 'string' ? { lines: [bearer(sent)] } : sent
    const id = randomUUID()
    const before = await this.state()
    await inParallel(request.flood ?? [], async (token) => {
      const { error } = JSON.parse((await this.snooze(token)).body) as { error?: Error }
      expect(asLongAs(message, error?.message ?? 'it was let in')).to.equal(message)
    })
    const logged = this.#here.dormouse.log.length
    const answer = await this.#snooze([`X-Request-Id: ${id}`, ...request.lines], request.query)
    const { error } = JSON.parse(answer.body) as { error?: Error }
    if (!error) expect.fail(`it was let in: ${answer.body}`)
    expect([answer.status, asLongAs(message, error.message)]).to.deep.equal([status, message])
    expect(error.details['request_id']).to.equal(id)
    if (status === 401) expect(answer.headers['www-authenticate']).to.match(CHALLENGE)
    if (status === 503) expect(answer.headers['retry-after']).to.match(/^[1-9]\d*$/)
    const inLog = () => {
      const log = this.#here.dormouse.log.slice(logged)
      return log.some(({ msg, requestId }) => msg === 'request' && requestId === id) && log
    }
    const lines = await eventually('the request to be logged', inLog, { pause: 5 })
    const told = JSON.stringify(lines) + answer.body + JSON.stringify(answer.headers)
    for (const part of JSON.stringify(request).match(TOKEN_PART) ?? [])
      expect(told.includes(part), `${part} of the token is in the log or in the answer`).to.equal(false)
    expect(await this.state(), 'the workload').to.deep.equal(before)
  }

  /** The fields that only Dormouse's writes would change. */
  async state(): Promise<object> {
    const path = this.#here.path('deployments', this.#name)
    const { metadata, spec } = await this.#here.cluster.admin.expect('GET', path)
    return { spec, annotations: metadata?.['annotations'], labels: metadata?.['labels'] }
  }

  #snooze(lines: readonly string[], query = ''): Promise<RawAnswer> {
    const path = `/api/v1/namespaces/${this.#here.namespace}/deployments/${this.#name}/snooze${query}`
    return rawRequest(this.#here.api.url, `POST ${path}`, lines)
  }
}

/** The text, cut where the expected one ends in `…`. */
function asLongAs(expected: string, text: string): string {
  return expected.endsWith('…') ? `${text.slice(0, expected.length - 1)}…` : text
}

import { readFile } from 'node:fs/promises'
import { Agent, request } from 'undici'
import { KNOCK_ANSWER, KNOCK_PATH, type Knock, type KnockAnswer } from '../domain/traffic/knock.ts'
import { compile, firstFault } from '../domain/validation.ts'
import { printable } from '../process/printable.ts'

/** Milliseconds: getting a connection, and the whole answer. */
const CONNECT_TIMEOUT = 2500
const TIMEOUT = 10_000
/** Bytes of an answer. */
const LONGEST = 256 * 1024
/** Characters of a refusal that errors quote. */
const LONGEST_QUOTED = 300

interface Options {
  /** The API's, such as `https://dormouse.dormouse.svc`. */
  readonly url: string
  /** CA certificates in PEM; undefined: those of Node. */
  readonly caFile: string | undefined
  readonly tokenFile: string
}

/** Sends knocks to the API over HTTPS. Files are read for each one, so that a new token or CA counts at once. */
export class KnockClient {
  readonly #options: Options
  readonly #url: URL
  readonly #isAnswer = compile(KNOCK_ANSWER)
  #agent: { readonly ca: string | undefined; readonly agent: Agent } | undefined

  constructor(options: Options) {
    this.#options = options
    this.#url = new URL(KNOCK_PATH, options.url)
  }

  /** @throws Error that says why there is no answer, without the token */
  async send(knock: Knock, signal: AbortSignal): Promise<KnockAnswer> {
    const { tokenFile, caFile } = this.#options
    const [token, ca] = await Promise.all([
      readFile(tokenFile, 'utf8'),
      caFile === undefined ? undefined : readFile(caFile, 'utf8'),
    ])
    const { statusCode, body } = await request(this.#url, {
      dispatcher: this.#agentFor(ca),
      method: 'POST',
      headers: {
        authorization: `Bearer ${token.trim()}`,
        'content-type': 'application/json',
        accept: 'application/json',
      },
      body: JSON.stringify(knock),
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]),
    })
    const text = await body.text()
    const answer = parsed(text)
    if (statusCode !== 200) throw new Error(`${this.#url.href}: HTTP ${statusCode} ${quoted(text)}`)
    if (this.#isAnswer(answer)) return answer
    throw new Error(`${this.#url.href}: no answer of Dormouse: ${firstFault(this.#isAnswer)}`)
  }

  /** Ends all calls in flight. */
  async close(): Promise<void> {
    await this.#agent?.agent.destroy()
  }

  #agentFor(ca: string | undefined): Agent {
    if (this.#agent && this.#agent.ca === ca) return this.#agent.agent
    // Calls in flight on it are finished first.
    this.#agent?.agent.close().catch(() => {})
    const connect = { timeout: CONNECT_TIMEOUT, ...(ca !== undefined && { ca }) }
    const agent = new Agent({ connect, connections: 16, pipelining: 1, maxResponseSize: LONGEST })
    this.#agent = { ca, agent }
    return agent
  }
}

/** undefined: it is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function quoted(text: string): string {
  return printable(text.slice(0, LONGEST_QUOTED))
}

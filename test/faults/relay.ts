import { once } from 'node:events'
import {
  Agent as HttpAgent,
  request as askPlainly,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { Agent as HttpsAgent, request as askByTls } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'

/** Headers of a single connection, or set by the server that passes the answer on. */
const OF_ONE_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding'])

/** Sends calls on to the API server, with the credentials that they came with. */
export class Relay {
  readonly #url: string
  readonly #agent: HttpAgent | HttpsAgent

  /** `ca`: PEM, for `https:`. */
  constructor(url: string, ca: string | undefined) {
    this.#url = url
    this.#agent =
      ca === undefined ? new HttpAgent({ keepAlive: true }) : new HttpsAgent({ ca, keepAlive: true })
  }

  /** Resolves with the beginning of the answer: then the call was carried out. Rejects if there is none. */
  async send(incoming: IncomingMessage, body: Buffer, gone: AbortSignal): Promise<IncomingMessage> {
    const { method, url = '/', headers } = incoming
    const ask = this.#agent instanceof HttpsAgent ? askByTls : askPlainly
    const onward = ask(new URL(url, this.#url), { method, headers, agent: this.#agent })
    // The reader of the answer gets errors; once Dormouse has disconnected, there is no reader.
    onward.on('error', () => {}).once('response', (answer) => answer.on('error', () => {}))
    const answered = once(onward, 'response') as Promise<[IncomingMessage]>
    gone.addEventListener('abort', () => onward.destroy())
    onward.end(body)
    const [answer] = await answered
    return answer
  }

  close(): void {
    this.#agent.destroy()
  }
}

/** Passes the answer's status and headers on, at once: a watch is connected before it has anything to tell. */
export function passHead({ statusCode = 502, headers }: IncomingMessage, response: ServerResponse): void {
  const kept = Object.entries(headers).filter(([name]) => !OF_ONE_HOP.has(name))
  response.writeHead(statusCode, Object.fromEntries(kept))
  response.flushHeaders()
}

export async function passBody(answer: IncomingMessage, response: ServerResponse): Promise<void> {
  await pipeline(answer, response)
}

/** Passes half of the body on; resolves once that is on its way. */
export async function passHalf(answer: IncomingMessage, response: ServerResponse): Promise<void> {
  const whole = await buffer(answer)
  const half = whole.subarray(0, Math.ceil(whole.length / 2))
  await new Promise<void>((resolve) => response.write(half, () => resolve()))
}

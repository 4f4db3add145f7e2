import type { Dispatcher } from 'undici'

export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** An answer with its whole body. */
export interface HttpText extends HttpResponse {
  readonly text: string
}

/**
 * One call and its answer as a text. A wave makes thousands of calls: each needs one timer, and no stream or combined
 * AbortSignal, which a time limit on undici's `request` would need.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  /** Rejects with undici's error, the signal's reason, or a DOMException TimeoutError. */
  readonly text: Promise<HttpText>
  readonly #settle = Promise.withResolvers<HttpText>()
  readonly #signal: AbortSignal | undefined
  readonly #timer: NodeJS.Timeout
  readonly #chunks: Buffer[] = []
  #status = 0
  #headers: HttpText['headers'] = {}
  #controller: Dispatcher.DispatchController | undefined
  #failure: Error | undefined

  /** `timeout`: milliseconds for getting a socket, and again from then on for the whole answer. */
  constructor(timeout: number, signal: AbortSignal | undefined) {
    this.text = this.#settle.promise
    this.#signal = signal
    this.#timer = setTimeout(() => this.#abort(new DOMException('no answer', 'TimeoutError')), timeout)
    signal?.addEventListener('abort', this.#aborted)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // It timed out or was aborted while it waited for a socket: do not send it.
    if (this.#failure) controller.abort(this.#failure)
    else this.#timer.refresh()
  }

  onResponseStart(_: unknown, status: number, headers: HttpText['headers']): void {
    this.#status = status
    this.#headers = headers
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    this.#release()
    const [first] = this.#chunks
    const body = first && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks)
    this.#settle.resolve({ status: this.#status, headers: this.#headers, text: body.toString('utf8') })
  }

  onResponseError(_: unknown, error: Error): void {
    this.#release()
    this.#settle.reject(error)
  }

  readonly #aborted = () => this.#abort(this.#signal?.reason)

  #abort(reason: Error): void {
    this.#release()
    this.#failure = reason
    this.#settle.reject(reason)
    this.#controller?.abort(reason)
  }

  #release(): void {
    clearTimeout(this.#timer)
    this.#signal?.removeEventListener('abort', this.#aborted)
  }
}

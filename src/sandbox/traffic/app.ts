import { createServer, type Server } from 'node:http'
import type { Runnable } from '../../process/runnable.ts'

/** A small page, in place of the app that a ready pod of a real cluster would serve. */
export class App implements Runnable {
  readonly name = 'app'
  readonly #server: Server

  /** @param context the kubeconfig's, which the commands on the page name, so that none reaches another cluster */
  constructor(context: string) {
    const page = pageFor(context)
    this.#server = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8')
      response.setHeader('cache-control', 'no-store')
      // A pod that ends closes its connections; this server outlives its pods.
      response.setHeader('connection', 'close')
      response.end(page)
    })
  }

  /** Known once started. */
  get port(): number {
    const address = this.#server.address()
    if (typeof address !== 'object' || !address) throw new TypeError('the app is not started')
    return address.port
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(0, '127.0.0.1', resolve)
    })
  }

  async stop(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
    })
  }
}

/** Options stay together where the line breaks. */
const commandFor = (verb: string, context: string) =>
  `<code>kubectl dormouse ${verb} preview <span>-n staging</span> <span>--context ${context}</span></code>`

const pageFor = (context: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>preview</title>
<style>
  :root { color-scheme: light dark; font: 1.125rem/1.5 system-ui, sans-serif }
  body { max-width: 36rem; margin: 12vh auto; padding: 0 1.25rem }
  h1 { font-size: 2rem; line-height: 1.2 }
  code { font-size: .95em; overflow-wrap: anywhere }
  span { white-space: nowrap }
</style>
<h1>This is the app.</h1>
<p>A pod of <code>staging/preview</code> is ready and answers you itself: nothing of Dormouse stands between you and it.
<p>Your visit keeps it awake for five minutes. See who woke it, and put it back to sleep:
<p>${commandFor('why', context)}
<p>${commandFor('snooze', context)}
</html>
`

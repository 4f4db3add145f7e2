import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { aRecord } from './fake-dormouse.ts'

/** An API of Dormouse during a suite, which answers every request with shop/web. */
export function answeringServer(): { readonly url: string; readonly asked: readonly string[] } {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    const { record } = aRecord('web')
    if (!request.url?.includes('watch=true'))
      return response.end(JSON.stringify({ success: true, message: 'done', data: [record] }))
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    return response.write(
      `event: added\ndata: ${JSON.stringify(record)}\n\nevent: listed\ndata: {"workloads":1}\n\n`,
    )
  })

  before('an API answers', async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  after(() => {
    server.close()
    server.closeAllConnections()
  })

  return {
    get url() {
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    },
    asked,
  }
}

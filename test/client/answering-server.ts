import { httpServer } from '../support/http-server.ts'
import { aRecord } from './fake-dormouse.ts'

/** An API of Dormouse during a suite, which answers every request with shop/web. */
export function answeringServer(): { readonly url: string; readonly asked: readonly string[] } {
  const asked: string[] = []
  const here = httpServer((request, response) => {
    asked.push(request.url ?? '')
    const { record } = aRecord('web')
    if (!request.url?.includes('watch=true'))
      return response.end(JSON.stringify({ success: true, message: 'done', data: [record] }))
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    return response.write(
      `event: added\ndata: ${JSON.stringify(record)}\n\nevent: listed\ndata: {"workloads":1}\n\n`,
    )
  })
  return {
    get url() {
      return here.url
    },
    asked,
  }
}

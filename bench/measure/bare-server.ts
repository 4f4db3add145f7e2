import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { issueCa, issueLeaf } from '../../src/service/certificates/issue.ts'

// The simplest webhook possible: an HTTPS server that answers "allowed" to every review. It reports its port and ends
// with its parent.

const HOUR = 3_600_000
const ca = await issueCa(Date.now(), 24 * HOUR)
const { cert, key } = await issueLeaf(ca, ['127.0.0.1'], Date.now(), 24 * HOUR)
const server = createServer({ cert, key }, (incoming, response) => {
  const chunks: Buffer[] = []
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
  incoming.on('end', () => {
    const { request } = JSON.parse(Buffer.concat(chunks).toString()) as { request: { uid: string } }
    const answer = { uid: request.uid, allowed: true }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }),
    )
  })
})
await once(server.listen(0, '127.0.0.1'), 'listening')
process.send?.((server.address() as AddressInfo).port)
process.on('disconnect', () => process.exit())

import { X509Certificate } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'node:tls'
import { expect } from 'chai'
import type { Cluster } from '../support/cluster.ts'
import { configuration, enforced } from '../support/enforced.ts'
import { print } from '../support/figures.ts'
import { sendEvenly } from '../support/load.ts'

const PER_SECOND = 200
/** A CA every four seconds or so, and a certificate of each and between. */
const LIFETIMES = { leafLifetime: '4s', caLifetime: '8s', renewAt: 0.5 }
const MERGE_PATCH = { 'content-type': 'application/merge-patch+json' }

/** Defines a test of two replicas that renew CA and certificate all the time while reviews come in, for so many seconds. */
export function rotatesUnderLoad(on: () => Cluster, seconds: number): void {
  const here = enforced(on, { certificates: LIFETIMES })
  before('a second replica, and a pinned workload', async function () {
    this.timeout(60_000)
    const { port } = await here.joined()
    here.balancer.to([here.port, port])
    const workload = await here.create('deployments', 'held', { replicas: 2 })
    await workload.enable()
    await workload.pin()
  })

  it(`${seconds} s at ${PER_SECOND} reviews/s while the CA changes every few seconds: none fails`, async function () {
    this.timeout(60_000 + seconds * 2000)
    const ended = new AbortController()
    const handshakes = strangersTrustIt(ended.signal)
    const begun = performance.now()
    const answers = await sendEvenly(PER_SECOND * seconds, PER_SECOND, scale)
    const took = (performance.now() - begun) / 1000
    ended.abort()
    const { cas, leaves, faults } = await handshakes
    const rate = Math.round((PER_SECOND * seconds) / took)
    print([`${cas.size} CAs and ${leaves.size} certificates in ${took.toFixed(0)} s, ${rate} reviews/s`])
    expect(new Set(answers), 'answers to kubectl scale').to.deep.equal(new Set(['denied']))
    expect(faults, 'connections that trust what the configuration says').to.deep.equal([])
    expect(cas.size, 'CAs in turn').to.be.greaterThan(seconds / 6)
    expect(leaves.size, 'certificates in turn').to.be.greaterThan(seconds / 6)
  })

  async function scale(): Promise<string> {
    const path = `/apis/apps/v1/namespaces/${here.namespace}/deployments/held/scale`
    const { status, body } = await here.cluster.admin.send(
      'PATCH',
      path,
      { spec: { replicas: 7 } },
      MERGE_PATCH,
    )
    const denied = status === 403 && String(body.message).includes('is pinned active')
    return denied ? 'denied' : `${status} ${body.message}`
  }

  /** Connects anew all the time, each time trusting the configuration's bundle alone, as an API server that has just started does. */
  async function strangersTrustIt(signal: AbortSignal) {
    const cas = new Set<string>()
    const leaves = new Set<string>()
    const faults: string[] = []
    while (!signal.aborted) {
      const [webhook] = (await configuration(here.cluster)).webhooks
      const bundle = Buffer.from(webhook?.clientConfig.caBundle ?? '', 'base64').toString()
      for (const ca of certificatesIn(bundle)) cas.add(new X509Certificate(ca).fingerprint256)
      await greeted(bundle).then(
        (leaf) => leaves.add(leaf),
        (error: Error) => faults.push(error.message),
      )
      await sleep(100)
    }
    return { cas, leaves, faults }
  }

  function greeted(ca: string): Promise<string> {
    const { hostname, port } = new URL(here.balancer.url)
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), ca }, () => {
        resolve(socket.getPeerCertificate().fingerprint256)
        socket.end()
      })
      socket.on('error', reject)
    })
  }
}

function certificatesIn(bundle: string): string[] {
  return bundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
}

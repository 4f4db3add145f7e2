import { X509Certificate } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'node:tls'
import { expect } from 'chai'
import type { Cluster } from '../support/cluster.ts'
import { configuration, enforced } from '../support/enforced.ts'
import { print } from '../support/figures.ts'

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
    const answers = await scaleEvenly(PER_SECOND * seconds)
    const took = (performance.now() - begun) / 1000
    ended.abort()
    const { cas, leaves, faults } = await handshakes
    const rate = Math.round((PER_SECOND * seconds) / took)
    print([`${cas.size} CAs and ${leaves.size} certificates in ${took.toFixed(0)} s, ${rate} reviews/s`])
    expect([...answers], 'answers to kubectl scale, and how often').to.deep.equal([
      ['held', PER_SECOND * seconds],
    ])
    expect(faults, 'connections that trust what the configuration says').to.deep.equal([])
    expect(cas.size, 'CAs in turn').to.be.greaterThan(seconds / 6)
    expect(leaves.size, 'certificates in turn').to.be.greaterThan(seconds / 6)
  })

  /** An even rate, whether the ones before were answered or not; how often each answer came. */
  async function scaleEvenly(total: number): Promise<Map<string, number>> {
    const answers = new Map<string, number>()
    const sent: Promise<void>[] = []
    const begun = performance.now()
    while (sent.length < total) {
      const due = Math.min(total, ((performance.now() - begun) / 1000) * PER_SECOND)
      while (sent.length < due) sent.push(scale(answers))
      await sleep(5)
    }
    await Promise.all(sent)
    return answers
  }

  async function scale(answers: Map<string, number>): Promise<void> {
    const path = `/apis/apps/v1/namespaces/${here.namespace}/deployments/held/scale`
    const { status, body } = await here.cluster.admin.send(
      'PATCH',
      path,
      { spec: { replicas: 7 } },
      MERGE_PATCH,
    )
    const held = status === 403 && String(body.message).includes('is pinned active')
    const said = held ? 'held' : `${status} ${body.message}`
    answers.set(said, (answers.get(said) ?? 0) + 1)
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

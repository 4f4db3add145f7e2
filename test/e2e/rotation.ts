import { X509Certificate } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'node:tls'
import { expect } from 'chai'
import type { Cluster } from '../support/cluster.ts'
import { configuration, enforced } from '../support/enforced.ts'
import { print } from '../support/figures.ts'
import { sendEvenly } from '../support/load.ts'
import { scalingAnswer } from './scalings.ts'

const PER_SECOND = 100
/** A new CA about every eight seconds, and certificates more often: a renewal may take four seconds. */
const LIFETIMES = { leafLifetime: '8s', caLifetime: '16s', renewAt: 0.5 }
/** Seconds within which there is another one, the first among them. */
const TURN = 9

/**
 * Milliseconds from a published CA to the first certificate that needs it, with these lifetimes: a quarter of what a CA
 * still lives when it is renewed.
 */
const SETTLING = 2000

/** Tests two replicas that keep renewing CA and certificate under load, for `seconds`. */
export function rotatesUnderLoad(on: () => Cluster, seconds: number): void {
  const here = enforced(on, { certificates: LIFETIMES })
  before('a second replica, and a pinned workload', async function () {
    this.timeout(60_000)
    const { port } = await here.joined()
    here.balancer.to([here.port, port])
    const workload = await here.enabled('deployments', 'held', { replicas: 2 })
    await workload.pin()
  })

  it(`${seconds} s at ${PER_SECOND} reviews/s while the CA changes every few seconds: none fails`, async function () {
    this.timeout(120_000 + seconds * 5000)
    const ended = new AbortController()
    const handshakes = strangersTrustIt(ended.signal)
    const begun = performance.now()
    const answers = await sendEvenly(PER_SECOND * seconds, PER_SECOND, async () =>
      scalingAnswer(await here.scale('deployments', 'held', 7)),
    )
    const took = (performance.now() - begun) / 1000
    ended.abort()
    const { cas, leaves, faults, outdated } = await handshakes
    const rate = Math.round((PER_SECOND * seconds) / took)
    print([`${cas.size} CAs and ${leaves.size} certificates in ${took.toFixed(0)} s, ${rate} reviews/s`])
    // On a busy machine some come too late, which is no matter of certificates.
    const late = answers.filter((answer) => answer.includes('context deadline exceeded'))
    if (late.length > 0)
      print([`${late.length} of ${answers.length} reviews came too late for the API server`])
    expect(late.length, 'answers that came too late').to.be.below(answers.length / 2)
    expect(
      [...new Set(answers)].filter((answer) => !late.includes(answer)),
      'answers to scalings',
    ).to.deep.equal(['denied by the pin'])
    if (outdated > 0)
      print([`${outdated} connections were made longer than ${SETTLING} ms after the configuration was read`])
    expect(faults, 'connections that trust what the configuration says').to.deep.equal([])
    expect(cas.size, 'CAs in turn').to.be.greaterThan(seconds / TURN)
    expect(leaves.size, 'certificates in turn').to.be.greaterThan(seconds / TURN)
  })

  /** Keeps connecting, trusting only the configuration's bundle, as an API server does that has just started. */
  async function strangersTrustIt(signal: AbortSignal) {
    const cas = new Set<string>()
    const leaves = new Set<string>()
    const faults: string[] = []
    let outdated = 0
    while (!signal.aborted) {
      const read = performance.now()
      const [webhook] = (await configuration(here.cluster)).webhooks
      const bundle = Buffer.from(webhook?.clientConfig.caBundle ?? '', 'base64').toString()
      for (const ca of certificatesIn(bundle)) cas.add(new X509Certificate(ca).fingerprint256)
      await greeted(bundle).then(
        (leaf) => leaves.add(leaf),
        (error: Error) => {
          // On a busy machine, what it trusts may be older than anybody may rely on.
          if (performance.now() - read > SETTLING) outdated += 1
          else faults.push(error.message)
        },
      )
      await sleep(100)
    }
    return { cas, leaves, faults, outdated }
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

import { expect } from 'chai'
import type { Call } from '../../src/kubernetes/api-calls.ts'
import { ClusterRefusal } from '../../src/kubernetes/failures.ts'
import { PublishedSettings } from '../../src/kubernetes/published-settings.ts'
import { eventually } from '../support/eventually.ts'

const DATA = { timezone: 'Europe/Berlin' }
const replacing = (value: object) => [{ op: 'add', path: '/data', value }]
const away = new ClusterRefusal('CLUSTER_UNAVAILABLE', 'away', { status: 503 })
const forbidden = new ClusterRefusal('CLUSTER_REJECTED', 'forbidden', { status: 403 })
const missing = new ClusterRefusal('NOT_FOUND', 'not there', { status: 404 })

interface Warning {
  readonly error: string
  readonly advice?: string
}

/** Over a cluster with these failures in turn, which then stores the settings. */
function publisher(failures: readonly Error[] = [], mayWrite = () => true, isExpected = true) {
  const left = [...failures]
  const calls: Call[] = []
  const warnings: Warning[] = []
  const client = {
    async call<T>(call: Call): Promise<T> {
      calls.push(call)
      const failure = left.shift()
      if (failure) throw failure
      return {} as T
    },
  }
  const infos: Warning[] = []
  const logger = {
    warn: (fields: Warning) => void warnings.push(fields),
    info: (fields: Warning) => void infos.push(fields),
  }
  let data: Record<string, string> = DATA
  let pauses = 0
  const settings = new PublishedSettings({
    client,
    data: () => data,
    mayWrite,
    isExpected,
    logger: logger as unknown as ConstructorParameters<typeof PublishedSettings>[0]['logger'],
    later(callback) {
      pauses += 1
      const next = setImmediate(callback)
      return () => clearImmediate(next)
    },
  })
  const becomes = (others: typeof data) => void (data = others)
  return { settings, calls, warnings, infos, becomes, pauses: () => pauses }
}

describe('publishing settings', () => {
  it('is one patch of the one ConfigMap, which leaves nothing else in it', async () => {
    const { settings, calls, warnings } = publisher()
    await settings.start()
    await settings.stop()
    expect(calls).to.have.length(1)
    expect(calls[0]).to.include({ method: 'PATCH', resource: 'configmaps' })
    expect(calls[0]?.path).to.match(/^\/api\/v1\/namespaces\/kube-public\/configmaps\/dormouse\?/)
    expect(calls[0]?.body).to.deep.equal(replacing(DATA))
    expect(calls[0]).to.include({ contentType: 'application/json-patch+json' })
    expect(warnings).to.deep.equal([])
  })

  it('comes again with each start, as when this replica leads again', async () => {
    const { settings, calls } = publisher()
    for (const _ of [1, 2]) {
      await settings.start()
      await settings.stop()
    }
    expect(calls).to.have.length(2)
  })

  it('goes on with a warning each time while the cluster does not answer', async () => {
    const { settings, calls, warnings } = publisher([away, away])
    await settings.start()
    await eventually('the third try', () => calls.length === 3)
    await settings.stop()
    expect(warnings).to.deep.equal([{ error: 'away' }, { error: 'away' }])
  })

  for (const [what, failure, advice] of [
    ['may not', forbidden, /Role <release>-publisher/],
    ['finds no ConfigMap', missing, /kubectl create configmap dormouse -n kube-public/],
  ] as const)
    it(`gives up with advice where it ${what}: nothing else stops`, async () => {
      const { settings, calls, warnings } = publisher([failure])
      await settings.start()
      await eventually('the warning', () => warnings.length === 1)
      await settings.stop()
      expect(calls).to.have.length(1)
      expect(warnings[0]?.advice).to.match(advice)
      expect(warnings[0], 'a stack says nothing to people').not.to.have.property('err')
    })

  it('is no warning where the configuration says that it is not to be', async () => {
    const { settings, warnings, infos } = publisher([missing], () => true, false)
    await settings.start()
    await eventually('the refusal to be logged', () => infos.length === 1)
    await settings.stop()
    expect(warnings).to.deep.equal([])
  })

  it('comes again when the settings have changed, also after a refusal, with what they are then', async () => {
    const { settings, calls, becomes } = publisher([missing])
    settings.publishAgain()
    await settings.start()
    await eventually('the refusal', () => calls.length === 1)
    becomes({ timezone: 'UTC' })
    settings.publishAgain()
    settings.publishAgain()
    await settings.stop()
    expect(calls.map(({ body }) => body)).to.deep.equal([replacing(DATA)])
    await settings.start()
    await eventually('the next start', () => calls.length === 2)
    becomes({ timezone: 'Asia/Tokyo' })
    settings.publishAgain()
    settings.publishAgain()
    await eventually('the change', () => calls.length === 3)
    await settings.stop()
    expect(calls[1]?.body).to.deep.equal(replacing({ timezone: 'UTC' }))
    expect(calls[2]?.body).to.deep.equal(replacing({ timezone: 'Asia/Tokyo' }))
    settings.publishAgain()
    expect(calls).to.have.length(3)
  })

  it('waits while this replica may not write, and ends when it is stopped', async () => {
    let leads = false
    const { settings, calls, pauses } = publisher([], () => leads)
    await settings.start()
    await eventually('a pause', () => pauses() > 2)
    expect(calls).to.deep.equal([])
    leads = true
    await eventually('the patch', () => calls.length === 1)
    await settings.stop()
    const { settings: never, calls: none } = publisher([], () => false)
    await never.start()
    await never.stop()
    expect(none).to.deep.equal([])
  })
})

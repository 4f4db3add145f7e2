import { expect } from 'chai'
import { fromKeyData, newKey, toKeyData } from '../../src/service/keys/key-data.ts'
import { Keyring } from '../../src/domain/workload/tag.ts'
import { hmacSha256 } from '../../src/process/hmac.ts'
import { ANNOTATION, ASLEEP_LABEL } from '../../src/domain/workload/workload.ts'
import { describeOn } from '../support/clusters.ts'
import { enforced } from '../support/enforced.ts'
import { eventually, inParallel } from '../support/eventually.ts'
import { MAIN, programEnvironment } from '../support/dormouse.ts'
import { runProgram, type KubectlObject } from '../support/kubectl.ts'
import { trim } from '../../src/kubernetes/trim.ts'
import type { WorkloadObject } from '../../src/kubernetes/api-object.ts'
import { marksOf } from './agreement.ts'

const KIND = 'deployments'
const COUNT = 3
const SECRET = '/api/v1/namespaces/dormouse/secrets/dormouse-state-keys'

describeOn('the keys of states', function (on) {
  this.timeout(300_000)
  const here = enforced(on)
  const names = Array.from({ length: 12 }, (_, index) => `web-${index}`)

  before('some are pinned asleep', () =>
    inParallel(
      names,
      async (name) => {
        const workload = await here.asleep(KIND, name, { replicas: COUNT })
        await workload.pin()
      },
      4,
    ),
  )

  const dataOf = async () => {
    const { data = {} } = (await on().admin.expect('GET', SECRET)) as unknown as {
      data?: Record<string, string>
    }
    const text = Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()])
    return fromKeyData(Object.fromEntries(text))
  }
  const writeKeys = (data: ReturnType<typeof fromKeyData>) => {
    const encoded = Object.entries(toKeyData(data)).map(([key, text]) => [
      key,
      Buffer.from(text).toString('base64'),
    ])
    return on().admin.expect('PATCH', SECRET, { data: Object.fromEntries(encoded) })
  }
  const keyringOf = async () => {
    const { keys } = await dataOf()
    return new Keyring({ secrets: keys.map(({ secret }) => secret), hmac: hmacSha256 })
  }
  /** The objects are as signed by the newest key, and pinned still. */
  async function allSigned(): Promise<void> {
    await eventually('all states to be signed by the newest key', async () => {
      const keyring = await keyringOf()
      const objects = await inParallel(names, (name) => here.get(KIND, name))
      return objects.every(
        (object) => keyring.trustIn(trim(KIND, object as unknown as WorkloadObject)) === undefined,
      )
    })
    for (const name of names) {
      const { state, replicas, label } = marksOf(await here.get(KIND, name))
      expect([state?.pin?.state, replicas, label], name).to.deep.equal(['snoozed', 0, String(COUNT)])
      expect(
        state?.history.map(({ trigger }) => trigger),
        name,
      ).to.not.include('unsigned')
    }
  }
  const isHeld = async (name: string) => (await here.scale(KIND, name, 5)).status === 403

  it('sign what is written, and only the Secret has them', async () => {
    await allSigned()
    expect((await dataOf()).keys).to.have.length(1)
  })

  it('are renewed under load: nothing is lost, all is signed anew, and the former one goes', async () => {
    const before = await dataOf()
    const over = new AbortController()
    const workload = await here.enabled(KIND, 'busy', { replicas: COUNT })
    const load = (async () => {
      for (let turn = 0; !over.signal.aborted; turn++) {
        await (turn % 2 === 0 ? workload.snooze('?force=true') : workload.wake())
        for (const name of names) expect(await isHeld(name), name).to.equal(true)
      }
    })()
    const { adminKubeconfig } = on()
    const { code, stdout, stderr } = await runProgram(
      process.execPath,
      [MAIN, 'renew-key', '--kubeconfig', adminKubeconfig],
      { env: { ...programEnvironment(), DORMOUSE_CONTROLLER_LEASE_NAMESPACE: 'dormouse' } },
    )
    expect(code, stderr).to.equal(0)
    expect(stdout).to.match(/^The next key signs from \d{4}-/)
    await eventually(
      'the former key to go',
      async () => {
        const { keys } = await dataOf()
        return keys.length === 1 && keys[0]?.secret !== before.keys[0]?.secret
      },
      { timeout: 200_000, pause: 500 },
    )
    over.abort()
    await load
    await allSigned()
  })

  it('that one of two replicas has not seen yet are read before it judges', async () => {
    const { dormouse, port } = await here.joined()
    here.balancer.to([port], { cut: true })
    try {
      const { keys } = await dataOf()
      // At once, so that no replica has had notice when the other one signs.
      await writeKeys({ keys: [newKey(0), ...keys], adopting: false })
      const [first = ''] = names
      await here.workload(KIND, first).unpin()
      await here.workload(KIND, first).pin()
      expect(await isHeld(first)).to.equal(true)
      await allSigned()
    } finally {
      here.balancer.to([here.port], { cut: true })
      await dormouse.stop()
    }
  })

  it('come back where their Secret is deleted while Dormouse runs', async () => {
    const before = await dataOf()
    await on().admin.expect('DELETE', SECRET)
    await eventually(
      'the Secret to come back',
      async () => (await on().admin.send('GET', SECRET)).status === 200,
    )
    expect((await dataOf()).keys.map(({ secret }) => secret)).to.include(before.keys[0]?.secret)
    await allSigned()
  })

  it('that are lost while Dormouse is away are made anew, and what is found is signed as it is', async () => {
    const before = await dataOf()
    await here.dormouse.terminate()
    await on().admin.expect('DELETE', SECRET)
    await here.dormouse.start()
    await eventually('a key to be made, and all to be signed', async () => {
      const { keys, adopting } = await dataOf()
      return !adopting && keys.length === 1 && keys[0]?.secret !== before.keys[0]?.secret
    })
    await allSigned()
    for (const name of names) expect(await isHeld(name), name).to.equal(true)
    expect(here.dormouse.log.some(({ msg }) => msg?.includes('signed as they were found'))).to.equal(true)
  })

  it('sign nothing of a workload that is restored elsewhere but its count', async () => {
    const objects = await inParallel(names, (name) => here.get(KIND, name))
    for (const { metadata } of objects) await on().admin.expect('DELETE', here.path(KIND, metadata.name))
    await eventually('all to be gone', async () =>
      (await here.list(KIND)).every(({ metadata }) => !names.includes(metadata.name)),
    )
    // As Velero does: without what the API server has set.
    for (const { metadata, spec, apiVersion, kind } of objects as (KubectlObject & {
      apiVersion: string
    })[]) {
      const { name, labels, annotations } = metadata
      const restored = { apiVersion, kind, metadata: { name, labels, annotations }, spec }
      await on().admin.expect('POST', here.path(KIND), restored)
    }
    const keyring = await keyringOf()
    for (const name of names) {
      const object = await eventually(`${name} to be signed`, async () => {
        const found = await here.get(KIND, name)
        return keyring.trustIn(trim(KIND, found as unknown as WorkloadObject)) === undefined && found
      })
      const { state, replicas, label } = marksOf(object)
      expect([replicas, label, state?.asleep, state?.snoozed?.replicas]).to.deep.equal([0, '3', true, COUNT])
      expect(state).to.not.have.any.keys('pin', 'override', 'intent')
      expect(object.metadata.labels).to.have.property(ASLEEP_LABEL)
      expect(object.metadata.annotations?.[ANNOTATION.state]).to.not.include('local:')
    }
    await here.workload(KIND, names[0] ?? '').wake('?wait=60s')
    expect(marksOf(await here.get(KIND, names[0] ?? '')).replicas).to.equal(COUNT)
  })
})

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ANNOTATION, OWN_LABELS, type BuiltInKind } from '../../src/domain/workload/workload.ts'
import { describeOn } from '../support/clusters.ts'
import { enforced } from '../support/enforced.ts'
import { countOf, manifest } from '../support/manifests.ts'
import { marksOf } from './agreement.ts'
import { grant, user } from '../support/rights.ts'

type Json = Record<string, object>

const COUNT = 3
/** Fields that the API server resets after admission, with values that it would never send of itself. */
const RESET: Readonly<Record<string, Json>> = {
  'a negative generation': { metadata: { generation: -1 } },
  'a generation beyond all exact numbers': { metadata: { generation: 2 ** 62 } },
  'negative counts in its status': { status: { replicas: -1, readyReplicas: -1, observedGeneration: -1 } },
  'negative nodes in its status': { status: { desiredNumberScheduled: -1, numberReady: -1 } },
}
const ON_CREATION: readonly Json[] = [
  { metadata: { generation: -1 } },
  { metadata: { deletionTimestamp: new Date().toISOString() } },
  { metadata: { uid: 'made-up', creationTimestamp: '2020-01-01T00:00:00Z' } },
  { status: { replicas: -1 } },
]
/** test/service/webhook/unread.test.ts has the others. */
const KINDS: readonly BuiltInKind[] = ['deployments', 'daemonsets']
const RESOURCES = { apps: ['deployments', 'statefulsets', 'daemonsets', 'replicasets'], batch: ['cronjobs'] }
/** The API server writes each < of a review as six characters: 1.45 MB here are 8.7 MB there. */
const LARGE = { name: 'app', image: 'app', args: ['<'.repeat(1_450_000)] }

/** A state of somebody's own making: no pin, and an override and a history in another's name. */
function forged(kind: string): Readonly<Record<string, string>> {
  const by = 'k8s:cfo@example.com'
  const at = new Date().toISOString()
  return {
    [ANNOTATION.state]: JSON.stringify({ v: 2, counter: 9, kind, override: { at, by } }),
    [ANNOTATION.history]: `${at} @1w9/api+5 ["${by}"]`,
  }
}

describeOn('a write that Dormouse cannot read', function (on) {
  this.timeout(180_000)
  const here = enforced(on)
  /** May create and patch workloads, and nothing on their scale; impersonated, so that reviews name him. */
  const asBob = { 'impersonate-user': 'bob' }

  before('bob and his rights', async () => {
    const rights = Object.entries(RESOURCES).map(([group, resources]) => ({
      apiGroups: [group],
      resources,
      verbs: ['get', 'list', 'create', 'patch'],
    }))
    await grant(on().admin, user('bob'), { name: 'bob', rights, namespace: here.namespace })
  })

  async function pinned(kind: BuiltInKind, name: string): Promise<void> {
    const workload = await here.enabled(kind, name, { replicas: COUNT })
    await workload.pin()
  }

  /** Bob's patch, which also takes the pin away and changes the count; returns the status and the message. */
  async function patchByBob(kind: BuiltInKind, name: string, more: Json, type = 'merge'): Promise<string> {
    const count: Json = {
      deployments: { replicas: 1 },
      statefulsets: { replicas: 1 },
      cronjobs: { suspend: true },
    }
    const marks = { ...forged(kind), [ANNOTATION.enabled]: 'false' }
    const body = {
      ...more,
      spec: { ...count[kind], ...more['spec'] },
      metadata: { ...more['metadata'], annotations: marks },
    }
    const headers = { ...asBob, 'content-type': `application/${type}-patch+json` }
    const answer = await here.cluster.admin.send('PATCH', here.path(kind, name), body, headers)
    return `${answer.status} ${answer.body.message}`
  }

  async function expectHeld(kind: BuiltInKind, name: string): Promise<void> {
    const { state, replicas, enabled } = marksOf(await here.get(kind, name))
    if (kind !== 'daemonsets') expect(replicas, name).to.equal(countOf(kind, COUNT))
    expect(enabled, name).to.equal('true')
    expect(state?.pin, name).to.deep.include({ state: 'active' })
    expect(state?.override, name).to.equal(undefined)
    expect(state?.history.map(({ by }) => by)).not.to.include('k8s:cfo@example.com')
  }

  for (const kind of KINDS)
    it(`${kind}: a field that the API server resets anyway ends no pin`, async () => {
      const name = `reset-${kind}`
      await pinned(kind, name)
      for (const [what, more] of Object.entries(RESET)) {
        const answer = await patchByBob(kind, name, more)
        // Beside a restored state, a DaemonSet or CronJob keeps its other fields, and the write goes through.
        const isCounted = kind === 'deployments' || kind === 'statefulsets'
        expect(answer, what).to.match(isCounted ? /^403 .*is pinned awake/ : /^(200|403) /)
        await expectHeld(kind, name)
      }
    })

  it('a creation with such a field brings no override and no history', async () => {
    for (const [index, more] of ON_CREATION.entries()) {
      const name = `created-${index}`
      const annotations = { [ANNOTATION.enabled]: 'true', ...forged('deployments') }
      const whole = manifest('deployments', name, { replicas: COUNT, annotations })
      const sent = { ...whole, ...more, metadata: { ...whole.metadata, ...more['metadata'] } }
      const { status } = await here.cluster.admin.send('POST', here.path('deployments'), sent, asBob)
      expect(status, JSON.stringify(more)).to.equal(201)
      const { state } = marksOf(await here.get('deployments', name))
      expect(state?.override, JSON.stringify(more)).to.equal(undefined)
      expect(state?.history ?? [], JSON.stringify(more)).to.deep.equal([])
    }
  })

  it('in a review of more than 6 MiB ends no pin: it is denied with the reason', async () => {
    await pinned('deployments', 'large')
    const more = { spec: { template: { spec: { containers: [LARGE] } } } }
    const answer = await patchByBob('deployments', 'large', more, 'strategic-merge')
    expect(answer).to.match(/^[45]\d\d .*Dormouse: deployment .*\/large .*larger than 6 MiB/)
    await expectHeld('deployments', 'large')
  })

  it('in a review of more than 6 MiB goes through with a warning where nothing holds the workload', async () => {
    await here.enabled('deployments', 'large-free', { replicas: COUNT })
    const body = JSON.stringify({ spec: { template: { spec: { containers: [LARGE] } } } })
    const directory = await mkdtemp(join(tmpdir(), 'unread-'))
    try {
      await writeFile(join(directory, 'patch'), body)
      const args = ['--type=strategic', `--patch-file=${directory}/patch`, '--as=bob']
      const { code, stderr } = await here.attempt('patch', 'deployment', 'large-free', ...args)
      expect(code, stderr).to.equal(0)
      expect(stderr).to.match(
        /^Warning: Dormouse: deployment .*\/large-free was not checked.*larger than 6 MiB/m,
      )
    } finally {
      await rm(directory, { recursive: true })
    }
  })

  for (const label of OWN_LABELS)
    it(`in a review of more than 4 MiB, with ${label} alone and no annotations, goes through`, async () => {
      const name = `large-${label.split('/')[1]}`
      const template = { metadata: { labels: { app: name } }, spec: { containers: [LARGE] } }
      const whole = manifest('deployments', name, { labels: { [label]: '1' } })
      const sent = { ...whole, spec: { ...whole.spec, template } }
      // kubectl would write each < as six characters, which no API server takes.
      const { status, body } = await here.cluster.admin.send('POST', here.path('deployments'), sent, asBob)
      expect(status, body.message).to.equal(201)
    })
})

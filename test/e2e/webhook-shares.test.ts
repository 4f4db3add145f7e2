import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { factsOf } from '../../src/domain/kinds.ts'
import { formOf } from '../../src/domain/sleeping/forms.ts'
import { ANNOTATION, HELD_LABEL, SNOOZE_KEY, type Kind } from '../../src/domain/workload/workload.ts'
import { sleepingBy } from '../../src/domain/sleeping/configured.ts'
import { joined, scopeOf, type HeldScope } from '../../src/kubernetes/registration/held-scope.ts'
import { desiredWebhooks } from '../../src/kubernetes/registration/webhooks.ts'
import { EXEMPT_USERS } from '../../src/service/webhook/decide.ts'
import { AdmissionServer, CONFIGURATIONS } from '../support/admission-server.ts'
import { describeOn } from '../support/clusters.ts'
import { defineKind, undefineKind } from '../support/custom-kinds.ts'
import { eventually } from '../support/eventually.ts'
import { manifest } from '../support/manifests.ts'
import { createNamespace } from '../support/served.ts'

const GROUP = 'shares.example.com'
const PULLEYS = `pulleys.${GROUP}` as const
const NOTHING: HeldScope = scopeOf([])
const OWNER = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: 'a-uid' }
/** The garbage collector takes what has only owners that do not exist, so this one does. */
const OWNERS: object[] = []

/** One of each form of sleeping. */
const FORMS = ['deployments', 'daemonsets', 'cronjobs'] as const

/** Anything may stand anywhere in its spec, or nothing. */
const PULLEY = { group: GROUP, plural: 'pulleys', kind: 'Pulley', countPath: '.spec.size.count' }

interface Write {
  readonly body: object
  readonly subresource?: 'status'
  /** Whether it would break a hold. */
  readonly breaks: boolean
  /** Whether it changes what Dormouse alone writes, which of a write of the status is every mark. */
  readonly changesState?: boolean
  /** Whether nobody reviews it where nothing holds the workload and nothing of ours is on it. */
  readonly leavesBare?: boolean
}

const metadata = (fields: object) => ({ metadata: fields })
const annotated = (key: string, value: string | null) => metadata({ annotations: { [key]: value } })

const WRITES: Readonly<Record<string, Write>> = {
  'an annotation of others': { body: annotated('other.example/x', 'y'), breaks: false, leavesBare: true },
  'a label of others': { body: metadata({ labels: { other: 'x' } }), breaks: false, leavesBare: true },
  'a request': { body: annotated(ANNOTATION.request, 'wake'), breaks: true },
  'a state': { body: annotated(ANNOTATION.state, '{}'), breaks: true, changesState: true },
  'a history': { body: annotated(ANNOTATION.history, ''), breaks: true, changesState: true },
  'an unknown annotation of ours': { body: annotated('dormouse.dev/shedule', 'x'), breaks: false },
  'the label of what is held': {
    body: metadata({ labels: { [HELD_LABEL]: 'mine' } }),
    breaks: true,
    changesState: true,
  },
  'an owner': { body: metadata({ ownerReferences: [OWNER] }), breaks: true, leavesBare: true },
  'the status alone': {
    body: { status: { observedGeneration: 1 } },
    subresource: 'status',
    breaks: false,
    leavesBare: true,
  },
  'the status with an old count': {
    body: { spec: { replicas: 9, suspend: true } },
    subresource: 'status',
    breaks: false,
    leavesBare: true,
  },
  'the status with a state': {
    body: annotated(ANNOTATION.state, '{}'),
    subresource: 'status',
    breaks: true,
    changesState: true,
  },
  'the status with a setting': {
    body: annotated(ANNOTATION.enabled, 'false'),
    subresource: 'status',
    breaks: true,
    changesState: true,
  },
  'the status with a history': {
    body: annotated(ANNOTATION.history, ''),
    subresource: 'status',
    breaks: true,
    changesState: true,
  },
  'the status with the label': {
    body: metadata({ labels: { [HELD_LABEL]: 'mine' } }),
    subresource: 'status',
    breaks: true,
    changesState: true,
  },
}

/** Writes that move a workload, and writes that do not. */
const MOVES: Readonly<Record<string, Readonly<Record<string, Write>>>> = {
  count: {
    'another count': { body: { spec: { replicas: 7 } }, breaks: true, leavesBare: true },
    'another template': {
      body: template({ metadata: { labels: { revision: '2' } } }),
      breaks: false,
      leavesBare: true,
    },
  },
  nodeSelector: {
    'our key': {
      body: template({ spec: { nodeSelector: { [SNOOZE_KEY]: 'true' } } }),
      breaks: true,
      leavesBare: true,
    },
    'a nodeSelector of others': {
      body: template({ spec: { nodeSelector: { disk: 'ssd' } } }),
      breaks: false,
      leavesBare: true,
    },
  },
  switch: {
    'its suspension': { body: { spec: { suspend: true } }, breaks: true, leavesBare: true },
    'another schedule': { body: { spec: { schedule: '1 0 1 1 *' } }, breaks: false, leavesBare: true },
  },
  configured: {
    'another count': { body: { spec: { size: { count: 7 } } }, breaks: true, leavesBare: true },
    'a field beside it': { body: { spec: { size: { unit: 'm' } } }, breaks: false, leavesBare: true },
    'no map where its count stood': { body: { spec: { other: null } }, breaks: false, leavesBare: true },
  },
}

function template(fields: object) {
  return { spec: { template: fields } }
}

/** Objects of a kind: what they carry, and what stands in the spec of a configured one. */
const OBJECTS: Readonly<Record<string, { metadata: object; spec?: unknown }>> = {
  bare: { metadata: {} },
  managed: { metadata: { annotations: { [ANNOTATION.enabled]: 'true' } }, spec: { size: { count: 1 } } },
  'held-alone': { metadata: { labels: { [HELD_LABEL]: 'pin' } }, spec: { size: null } },
  held: {
    metadata: {
      annotations: { [ANNOTATION.enabled]: 'true', [ANNOTATION.state]: '{"v":2}' },
      labels: { app: 'x', [HELD_LABEL]: 'override' },
      ownerReferences: OWNERS,
    },
    spec: { size: { count: 3 } },
  },
}

describeOn('the webhooks share what is written', function (on) {
  this.timeout(120_000)
  let server: AdmissionServer
  const namespace = `shares-${randomBytes(4).toString('hex')}`
  const path = `${CONFIGURATIONS}/${namespace}`

  const webhooks = (held: HeldScope, strange: readonly string[] = []) =>
    desiredWebhooks(
      {
        url: server.url,
        service: null,
        excludeNamespaces: ['kube-system'],
        probeNamespace: namespace,
        exemptUsers: EXEMPT_USERS,
        ownUser: 'system:serviceaccount:dormouse:dormouse',
        namespaceSelector: { matchLabels: { mine: namespace }, matchExpressions: [] },
        configured: new Map([
          [PULLEYS as Kind, sleepingBy({ resource: PULLEYS, specReplicasPath: '.spec.size.count' })],
        ]),
      },
      server.ca,
      [],
      { isTied: true, proof: 'proven', held, strange },
    )
  const collection = (kind: Kind) => {
    const { group, version } = factsOf(kind)
    const [resource = ''] = kind.split('.')
    return `/apis/${group}/${version === '*' ? 'v1' : version}/namespaces/${namespace}/${resource}`
  }
  const objectOf = (kind: Kind, name: string) => {
    const { metadata, spec } = OBJECTS[name] ?? { metadata: {} }
    const pulley = { apiVersion: `${GROUP}/v1`, kind: 'Pulley', ...(spec === undefined ? {} : { spec }) }
    const whole = kind === PULLEYS ? pulley : manifest(kind, name)
    return { ...whole, metadata: { ...metadata, name } }
  }
  /** The webhooks that a write was sent to. */
  const asked = async (write: () => Promise<{ status: number; body: object }>, what: string) => {
    server.reviews.length = 0
    const { status, body } = await write()
    expect(status, `${what}: ${JSON.stringify(body)}`).to.equal(200)
    const ours = server.reviews.filter(({ review }) => review.userInfo.username === 'test-admin')
    return ours.map(({ path }) => named(path))
  }

  before('every review is recorded and allowed', async () => {
    server = await AdmissionServer.start()
    await createNamespace(on(), namespace)
    await on().admin.expect('PATCH', `/api/v1/namespaces/${namespace}`, {
      metadata: { labels: { mine: namespace } },
    })
    await defineKind(on(), PULLEY)
    const maps = `/api/v1/namespaces/${namespace}/configmaps`
    const { metadata: { uid } = {} } = await on().admin.expect('POST', maps, {
      metadata: { name: 'first' },
    })
    OWNERS.push({ ...OWNER, name: 'first', uid })
    for (const kind of [...FORMS, PULLEYS] as const)
      for (const name of Object.keys(OBJECTS))
        await on().admin.expect('POST', collection(kind), objectOf(kind, name))
    await on().admin.expect('POST', CONFIGURATIONS, {
      metadata: { name: namespace },
      webhooks: webhooks(NOTHING),
    })
    await eventually('the webhooks to be asked', async () => {
      const write = () =>
        on().admin.send('PATCH', `${collection('deployments')}/held?dryRun=All`, WRITES['a state']?.body)
      return (await asked(write, 'a state')).length > 0
    })
  })

  after('nothing stays behind', async () => {
    await undefineKind(on(), PULLEY)
    for (const each of [path, `/api/v1/namespaces/${namespace}`]) await on().admin.send('DELETE', each)
    server.close()
  })

  for (const kind of [...FORMS, PULLEYS] as const) {
    const moves = MOVES[kind === PULLEYS ? 'configured' : formOf({ kind }).name] ?? {}
    for (const name of Object.keys(OBJECTS))
      it(`each write of ${kind} that is ${name} meets exactly one of marks, workloads and held`, async () => {
        for (const [what, { body, subresource, breaks, changesState, leavesBare }] of Object.entries({
          ...WRITES,
          ...moves,
        })) {
          const below = subresource === undefined ? '' : `/${subresource}`
          const write = () => on().admin.send('PATCH', `${collection(kind)}/${name}${below}?dryRun=All`, body)
          const isHeld = name.startsWith('held')
          const passes = subresource === undefined ? isHeld || name === 'managed' || !leavesBare : breaks
          const free = changesState ? ['marks'] : ['workloads']
          const expected = isHeld && breaks ? ['held'] : passes ? free : []
          expect(await asked(write, what), what).to.deep.equal(expected)
        }
      })

    it(`${kind} that is created held meets workloads`, async () => {
      const created = objectOf(kind, 'held-alone')
      const create = async () => {
        const body = { ...created, metadata: { ...created.metadata, name: 'new' } }
        const { status, body: answer } = await on().admin.send('POST', `${collection(kind)}?dryRun=All`, body)
        return { status: status === 201 ? 200 : status, body: answer }
      }
      expect(await asked(create, 'creation')).to.deep.equal(['workloads'])
    })
  }

  describe('of scalings', () => {
    const scale = (name: string) => () =>
      on().admin.send('PATCH', `${collection('deployments')}/${name}/scale?dryRun=All`, {
        spec: { replicas: 4 },
      })
    const longest = (namespace: string, at: number) =>
      `statefulsets/${namespace}/${String(at).padStart(120, 'x')}`
    const others = Array.from({ length: 499 }, (_, at) => `deployments/other/${at}`)
    const ours = `deployments/${namespace}/held`
    const SCOPES: Readonly<Record<string, readonly [HeldScope, held: string, managed: string]>> = {
      'nothing is held': [NOTHING, 'scale', 'scale'],
      'it is listed with 499 others': [scopeOf([ours, ...others]), 'held-scale', 'scale'],
      'the list is as long as lists become': [
        scopeOf([ours, ...Array.from({ length: 400 }, (_, at) => longest('other', at))]),
        'held-scale',
        'scale',
      ],
      'more than 500 are held, one of them in its namespace': [
        scopeOf([ours, ...others, 'deployments/another/web']),
        'held-scale',
        'held-scale',
      ],
      'more namespaces hold than a list has': [
        joined(scopeOf([ours]), scopeOf(Array.from({ length: 501 }, (_, at) => `deployments/of-${at}/web`))),
        'held-scale',
        'held-scale',
      ],
    }
    for (const [what, [scope, held, managed]] of Object.entries(SCOPES))
      it(`each meets exactly one of two where ${what} (${scope.type})`, async () => {
        await on().admin.expect('PATCH', path, { webhooks: webhooks(scope) })
        await eventually('the API server to know', async () => {
          const [first] = await asked(scale('held'), what)
          return first === held
        })
        expect(await asked(scale('held'), what)).to.deep.equal([held])
        expect(await asked(scale('managed'), what)).to.deep.equal([managed])
      })

    it('those of a strange namespace meet none, unless they are held', async () => {
      await on().admin.expect('PATCH', path, { webhooks: webhooks(scopeOf([ours]), ['other', namespace]) })
      await eventually('the API server to know', async () => {
        const [first] = await asked(scale('managed'), 'strange')
        return first === undefined
      })
      expect(await asked(scale('held'), 'held')).to.deep.equal(['held-scale'])
    })
  })

  describe('of Namespaces', () => {
    const write = (body: object) => () =>
      on().admin.send('PATCH', `/api/v1/namespaces/${namespace}?dryRun=All`, body)
    it('those that have an annotation of ours afterwards, and no others', async () => {
      expect(await asked(write(annotated(ANNOTATION.enabled, 'true')), 'enabled')).to.deep.equal([
        'namespaces',
      ])
      expect(await asked(write(annotated('other', 'x')), 'other')).to.deep.equal([])
      const creation = async () => {
        const metadata = {
          name: `${namespace}-2`,
          labels: { mine: namespace },
          annotations: { 'dormouse.dev/x': 'y' },
        }
        const { status, body } = await on().admin.send('POST', '/api/v1/namespaces?dryRun=All', {
          metadata,
        })
        return { status: status === 201 ? 200 : status, body }
      }
      expect(await asked(creation, 'creation')).to.deep.equal(['namespaces'])
    })
  })
})

/** `/webhook/held-scale?timeout=3s` → `held-scale` */
function named(url: string): string {
  return new URL(url, 'https://here').pathname.replace('/webhook/', '')
}

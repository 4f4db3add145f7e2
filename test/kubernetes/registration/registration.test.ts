import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { createLogger } from '../../../src/process/logger.ts'
import {
  desiredWebhooks,
  type MutatingWebhook,
  type WebhookSettings,
} from '../../../src/kubernetes/registration/webhooks.ts'
import { scopeOf, type Requirement } from '../../../src/kubernetes/registration/held-scope.ts'
import { deleteWebhookConfiguration } from '../../../src/kubernetes/registration/configuration.ts'
import {
  WebhookRegistration,
  type WebhookRegistrationOptions,
} from '../../../src/kubernetes/registration/registration.ts'
import { FakeApiServer, silentLogger, until, type FakeCollection } from '../fake-api-server.ts'

const PATH = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations'
const SERVICE = { namespace: 'dormouse', name: 'dormouse', port: 443 }
const SETTINGS: WebhookSettings = {
  url: 'https://hooks.example:8443/base/',
  service: null,
  excludeNamespaces: ['kube-system', 'dormouse'],
  exemptUsers: ["o'brien"],
  probeNamespace: 'dormouse',
}
/** The policies of scale, marks, workloads, held, namespaces and probe. */
const IGNORING = 'Ignore,Ignore,Ignore,Ignore,Ignore,Ignore'
const FAILING = 'Ignore,Ignore,Ignore,Fail,Ignore,Ignore'
const base64 = (text: string) => Buffer.from(text).toString('base64')

/** Calls back without the wait. */
const soon = (callback: () => void) => {
  const next = setImmediate(callback)
  return () => clearImmediate(next)
}

describe('the webhook configuration', () => {
  let server: FakeApiServer
  let configurations: FakeCollection
  let namespaces: FakeCollection
  let registration: WebhookRegistration
  let bundle: string
  let published: string[]
  let changed: () => void
  let served: () => void
  let reached: boolean
  let probes: number
  let told: string[]
  /** The workloads that are held, and who is told that they changed. */
  let names: readonly string[]
  let holds: () => void

  beforeEach(async () => {
    server = await new FakeApiServer().start()
    configurations = server.collection(PATH)
    namespaces = server.collection('/api/v1/namespaces')
    namespaces.put({ metadata: { name: 'dormouse', uid: 'of-the-namespace' } })
    bundle = 'CA 1'
    published = []
    told = []
    names = []
    holds = () => {}
    reached = true
    probes = 0
  })

  afterEach(async () => {
    await registration.stop()
    await server.close()
  })

  const open = (options: Partial<WebhookRegistrationOptions> = {}) => {
    registration = new WebhookRegistration({
      client: server.client,
      logger: silentLogger,
      caBundle: () => bundle,
      onCaBundle: (listener) => {
        changed = listener
        return () => (changed = () => {})
      },
      onPublished: (text) => void published.push(text),
      ...SETTINGS,
      ownNamespace: undefined,
      onServed: (listener) => {
        served = listener
        return () => (served = () => {})
      },
      onProof: (proven, why) => void told.push(proven ? 'proven' : why),
      held: {
        scope: () => scopeOf(names),
        onChange: (listener) => {
          holds = listener
          return () => (holds = () => {})
        },
      },
      probe: async () => {
        probes += 1
        return reached ? { type: 'reached' } : { type: 'missed', why: 'nobody answers' }
      },
      probing: { every: 3_600_000, tries: [] },
      delay: async () => {},
      later: soon,
      ...options,
    })
    return registration.start()
  }
  const inside = (options: Partial<WebhookRegistrationOptions> = {}) =>
    open({ url: null, service: SERVICE, ownNamespace: 'dormouse', ...options })
  /** Open, and proven. */
  const proven = async (options: Partial<WebhookRegistrationOptions> = {}) => {
    await open(options)
    await settled()
  }
  const ignoring = () => until(() => policies().join() === IGNORING)
  const asTheChartHasIt = () =>
    configurations.put({
      metadata: { name: 'dormouse', labels: { from: 'chart' } },
      webhooks: [{ name: 'scale.dormouse.dev', clientConfig: { service: SERVICE }, failurePolicy: 'Ignore' }],
    })
  const webhooks = () => (configurations.objects.get('dormouse')?.['webhooks'] ?? []) as MutatingWebhook[]
  const policies = () => webhooks().map(({ failurePolicy }) => failurePolicy)
  const bundles = () => webhooks().map(({ clientConfig }) => clientConfig.caBundle)
  const settled = () => until(() => policies().join() === FAILING)
  const writes = () => server.received.filter(({ method }) => method === 'PATCH' || method === 'POST')

  it('is made outside a cluster: Ignore first, then Fail for what is held alone', async () => {
    await proven()
    const [created, ...patches] = writes().map(({ body }) => JSON.parse(body))
    const first = created.webhooks.map((each: MutatingWebhook) => each.failurePolicy)
    expect(first.join()).to.equal(IGNORING)
    expect(patches).to.have.length(1)
    expect(webhooks().map(({ clientConfig }) => clientConfig)).to.deep.equal([
      ...['scale', 'marks', 'workloads', 'held', 'namespaces', 'probe'].map((path) => ({
        caBundle: base64('CA 1'),
        url: `https://hooks.example:8443/base/webhook/${path}`,
      })),
    ])
    for (const { query } of writes()) expect(query.get('fieldManager')).to.equal('dormouse')
  })

  it('brought by the chart is given its bundle, its rules and its owner before it turns to Fail', async () => {
    asTheChartHasIt()
    await inside()
    await settled()
    const [first] = writes().map(({ body }) => JSON.parse(body))
    const { value } = first.find(({ path }: { path: string }) => path === '/webhooks')
    expect(value.map((each: MutatingWebhook) => each.failurePolicy).join()).to.equal(IGNORING)
    const { metadata } = configurations.objects.get('dormouse')!
    expect(metadata['labels']).to.deep.equal({ from: 'chart' })
    expect(metadata['ownerReferences']).to.deep.equal([
      { apiVersion: 'v1', kind: 'Namespace', name: 'dormouse', uid: 'of-the-namespace' },
    ])
    expect(webhooks()[0]?.clientConfig).to.deep.equal({
      caBundle: base64('CA 1'),
      service: { ...SERVICE, path: '/webhook/scale' },
    })
  })

  describe('and its proof', () => {
    it('stays at Ignore while the webhook is not reached, says why, and turns to Fail by itself once it is', async () => {
      reached = false
      await open({ probing: { every: 5, tries: [1] } })
      await until(() => told.length > 2)
      expect(policies().join()).to.equal(IGNORING)
      expect(new Set(told)).to.deep.equal(new Set(['nobody answers']))
      expect(probes, 'each is tried twice').to.be.at.least(2 * told.length)
      reached = true
      await settled()
      expect(told.at(-1)).to.equal('proven')
    })

    it('turns back to Ignore after the second failure in a row, not after the first', async () => {
      const results: ((reached: boolean) => void)[] = []
      await open({
        probing: { every: 1, tries: [] },
        probe: (signal) =>
          new Promise((resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason as Error))
            results.push((reached) =>
              resolve(reached ? { type: 'reached' } : { type: 'missed', why: 'nobody answers' }),
            )
          }),
      })
      const next = async (reached: boolean) => {
        await until(() => results.length > 0)
        results.shift()?.(reached)
      }
      await next(true)
      await settled()
      for (const result of [false, true, false]) {
        await next(result)
        await until(() => results.length > 0)
        expect(policies().join()).to.equal(FAILING)
      }
      await next(false)
      await ignoring()
      expect(told).to.deep.equal(['proven', 'nobody answers'])
      await next(true)
      await settled()
    })

    it('an API server that does not answer proves nothing either way', async () => {
      const answers: ('reached' | 'unknown')[] = ['reached', 'unknown', 'unknown', 'unknown']
      await open({
        probing: { every: 5, tries: [] },
        probe: async () => ({ type: answers.shift() ?? 'reached' }),
      })
      await until(() => answers.length === 0)
      await settled()
      expect(told).to.deep.equal(['proven'])
    })

    it('a new leader keeps the Fail that it finds, and proves it anew', async () => {
      await proven()
      await registration.stop()
      reached = false
      const before = probes
      await open()
      await until(() => probes > before)
      expect(policies().join(), 'after one failure').to.equal(FAILING)
    })

    it('is tried again after each change of certificate', async () => {
      await proven()
      let before = probes
      served()
      await until(() => probes > before)
      before = probes
      bundle = 'CA 2'
      changed()
      await until(() => probes > before)
    })
  })

  it('is not written again when it is right', async () => {
    await proven()
    await registration.stop()
    const before = writes().length
    await open()
    await until(() => published.length > 1)
    configurations.put(configurations.objects.get('dormouse')!)
    await until(() => published.length > 2)
    expect(writes()).to.have.length(before)
  })

  describe('that somebody undoes again and again', () => {
    const present = () => configurations.objects.get('dormouse')!
    const withEach = (change: object) =>
      configurations.put({ ...present(), webhooks: webhooks().map((each) => ({ ...each, ...change })) })
    const UNDONE: Readonly<Record<string, readonly [undo: () => void, told: string, where?: typeof inside]>> =
      {
        'points it elsewhere': [
          () => withEach({ clientConfig: { url: 'https://else' } }),
          'is pointed at https://else',
        ],
        'empties it': [() => configurations.put({ ...present(), webhooks: [] }), 'is emptied'],
        'deletes it': [() => configurations.delete('dormouse'), 'is deleted'],
        'changes a policy alone': [
          () =>
            configurations.put({
              metadata: { ...present().metadata, managedFields: [{ manager: 'argocd', time: '2026-01-01' }] },
              webhooks: webhooks().map((each) => ({ ...each, failurePolicy: 'Ignore' })),
            }),
          'is changed by argocd',
        ],
        'takes its owner away': [
          () => configurations.put({ ...present(), metadata: { name: 'dormouse' } }),
          'is changed',
          inside,
        ],
      }
    for (const [what, [undo, expected, where = open]] of Object.entries(UNDONE))
      it(`is put right ever more seldom (who ${what}), and that is told`, async () => {
        const contested: string[] = []
        const rests: number[] = []
        if (where === inside) asTheChartHasIt()
        await where({
          later: (callback, rest) => {
            rests.push(rest)
            return soon(callback)
          },
          onOverwritten: (change, pause) => void contested.push(`${change} ${pause / 1000} s`),
        })
        const right = () =>
          policies().join() === FAILING &&
          webhooks()[0]?.clientConfig['url'] !== 'https://else' &&
          (where === open || present().metadata['ownerReferences'] !== undefined)
        for (let again = 0; again < 8; again++) {
          await until(right)
          undo()
        }
        await until(right)
        expect(contested).to.deep.equal([10, 20, 40].map((rest) => `${expected} ${rest} s`))
        expect(rests).to.include.members([10_000, 20_000, 40_000])
      })
  })

  it('turns to Ignore at once where it is not reached, also during a pause after overwrites, and is else left alone', async () => {
    const rests: (() => void)[] = []
    await open({
      probing: { every: 5, tries: [1] },
      later: (callback, rest) => {
        if (rest < 10_000) return soon(callback)
        rests.push(callback)
        return () => {}
      },
    })
    const without = (field: string) => {
      const object = configurations.objects.get('dormouse')!
      configurations.put({ ...object, webhooks: webhooks().map((each) => ({ ...each, [field]: [] })) })
    }
    const right = () =>
      policies().join() === FAILING && ((webhooks()[0]?.['rules'] ?? []) as object[]).length > 0
    await until(right)
    while (rests.length === 0) {
      without('rules')
      await until(() => right() || rests.length > 0)
    }
    expect(policies().join()).to.equal(FAILING)
    reached = false
    await ignoring()
    expect(webhooks()[0]?.['rules'], 'nothing else is put right').to.deep.equal([])
    const object = configurations.objects.get('dormouse')!
    configurations.put({
      ...object,
      webhooks: webhooks().map((each) => ({ ...each, failurePolicy: 'Fail' })),
    })
    await ignoring()
    expect(rests, 'one rest').to.have.length(1)
    reached = true
    rests[0]?.()
    await until(right)
  })

  it('follows the bundle, stays at Fail meanwhile, and says when the new one is published', async () => {
    await proven()
    bundle = 'CA 1 CA 2'
    changed()
    await until(() => published.includes(bundle))
    expect(new Set(bundles())).to.deep.equal(new Set([base64(bundle)]))
    expect(policies().join()).to.equal(FAILING)
  })

  it('is not made inside a cluster, where the chart brings it', async () => {
    await inside()
    await until(() => configurations.watches.size === 1)
    configurations.put({ metadata: { name: 'another' } })
    asTheChartHasIt()
    await settled()
    expect(server.received.some(({ method }) => method === 'POST')).to.equal(false)
  })

  it('is left alone while its Namespace is being deleted', async () => {
    asTheChartHasIt()
    namespaces.put({
      metadata: { name: 'dormouse', uid: 'of-the-namespace', deletionTimestamp: '2026-01-01T00:00:00Z' },
    })
    await inside()
    await until(() => server.received.some(({ path }) => path === '/api/v1/namespaces/dormouse'))
    await until(() => configurations.watches.size === 1)
    await registration.stop()
    expect(writes()).to.deep.equal([])
  })

  it('is not created again while its Namespace is being deleted', async () => {
    await proven({ ownNamespace: 'dormouse' })
    namespaces.delete('dormouse')
    configurations.delete('dormouse')
    const asked = () => server.received.filter(({ path }) => path === '/api/v1/namespaces/dormouse').length
    const before = asked()
    await until(() => asked() > before)
    await registration.stop()
    expect(configurations.objects.size).to.equal(0)
  })

  it('is retried after a refusal; a conflict with another writer is no failure', async () => {
    let refusals = 2
    configurations.refuse = ({ method }, response) => {
      if (method !== 'POST' || refusals-- <= 0) return false
      response.writeHead(refusals === 1 ? 403 : 500).end('{}')
      return true
    }
    await proven()
  })

  it('logs a write only if it was carried out', async () => {
    const logged: string[] = []
    const refused: string[] = []
    configurations.refuse = ({ method }, response) => {
      // Once each: somebody else was first, and somebody deleted it.
      if (!['POST', 'PATCH'].includes(method) || refused.includes(method)) return false
      refused.push(method)
      if (method === 'POST') asTheChartHasIt()
      else configurations.delete('dormouse')
      response.writeHead(method === 'POST' ? 409 : 404).end('{}')
      return true
    }
    const write = (line: string) => void logged.push((JSON.parse(line) as { msg: string }).msg)
    await proven({ logger: createLogger('info', { write }) })
    await until(() => logged.length >= 2)
    await registration.stop()
    expect(refused).to.deep.equal(['POST', 'PATCH'])
    expect(logged).to.deep.equal([
      'the webhook configuration was created',
      'the webhook configuration was put right',
    ])
  })

  it('keeps the bundle that others write where Dormouse has none', async () => {
    configurations.put({
      metadata: { name: 'dormouse' },
      webhooks: ['scale', 'workloads', 'probe'].map((name) => ({
        name: `${name}.dormouse.dev`,
        clientConfig: { caBundle: 'injected' },
      })),
    })
    await open({ caBundle: () => undefined })
    await settled()
    expect(bundles()).to.have.length(6)
    expect(new Set(bundles())).to.deep.equal(new Set(['injected']))
  })

  describe('and what is held', () => {
    const scalings = () =>
      webhooks()
        .filter(({ name }) => name.includes('scale'))
        .map(({ name, failurePolicy }) => `${name} ${failurePolicy}`)
    const both = () => until(() => scalings().length === 2)
    const hold = (...held: string[]) => {
      names = held
      holds()
    }

    it('is listed by a second webhook of scalings, which fails at once where the webhook is proven', async () => {
      await proven()
      hold('deployments/shop/web')
      await both()
      expect(scalings()).to.deep.equal(['scale.dormouse.dev Ignore', 'held-scale.dormouse.dev Fail'])
      expect(bundles()).to.have.length(7)
      expect(new Set(bundles())).to.deep.equal(new Set([base64('CA 1')]))
      hold()
      await until(() => scalings().join() === 'scale.dormouse.dev Ignore')
    })

    it('is one write, however many come within a moment', async () => {
      const rests: (() => void)[] = []
      await open({
        later: (callback) => {
          rests.push(callback)
          return () => {}
        },
        monotonic: () => 0,
      })
      await settled()
      const before = writes().length
      hold('deployments/shop/web')
      hold('deployments/shop/web', 'deployments/shop/api')
      expect(rests.length).to.be.at.most(1)
      // It may be in work still, and waits afterwards; or the watch told of a write, so that it was looked at anyway.
      await until(() => rests.length > 0 || scalings().length === 2)
      rests.at(-1)?.()
      await both()
      expect(writes()).to.have.length(before + 1)
    })

    it('fails nothing without a proof, and turns to Ignore together', async () => {
      names = ['deployments/shop/web']
      reached = false
      await open()
      await both()
      await until(() => probes > 0)
      expect(scalings()).to.deep.equal(['scale.dormouse.dev Ignore', 'held-scale.dormouse.dev Ignore'])
      expect(policies()).to.not.include('Fail')
    })
  })

  it('leaves out the scalings in strange namespaces, until one is no longer strange', async () => {
    const strange = new StrangeList(['blog', 'shop'])
    await proven({ strange })
    const leftOut = () =>
      webhooks().map(({ name, namespaceSelector }) => {
        const { matchExpressions: [first] = [] } = namespaceSelector as { matchExpressions?: Requirement[] }
        return `${name.split('.')[0]} ${first?.values.join()}`
      })
    const others = ['marks', 'workloads', 'held', 'namespaces'].map((name) => `${name} kube-system,dormouse`)
    const probe = 'probe dormouse'
    expect(leftOut()).to.deep.equal(['scale kube-system,dormouse,blog,shop', ...others, probe])
    strange.become(['blog'])
    await until(() => leftOut()[0] === 'scale kube-system,dormouse,blog')
  })

  it('is written as it is to be when its turn has come, not as it was to be before it waited', async () => {
    const strange = new StrangeList([])
    await open({
      strange,
      delay: async (wait) => {
        if (strange.names.length > 0) strange.names = ['newest', ...strange.names]
        await sleep(wait)
      },
    })
    await settled()
    const bodies = () => writes().map(({ body }) => body)
    const isWritten = (name: string) => bodies().some((body) => body.includes(`"${name}"`))
    for (let number = 0; strange.names[0] !== 'newest'; number++) {
      strange.become([`number-${number}`])
      await until(() => strange.names.every(isWritten))
    }
    const latest = strange.names.find((name) => name !== 'newest')
    expect(bodies().find((body) => body.includes(`"${latest}"`))).to.include('"newest"')
  })

  it('is deleted on request, also when it is gone already', async () => {
    await inside()
    asTheChartHasIt()
    await settled()
    await registration.stop()
    await deleteWebhookConfiguration(server.client)
    expect(configurations.objects.size).to.equal(0)
    await deleteWebhookConfiguration(server.client)
  })
})

/** Strange namespaces as a test names them. */
class StrangeList {
  names: readonly string[]
  #tell: (isUrgent: boolean) => void = () => {}

  constructor(names: readonly string[]) {
    this.names = names
  }

  become(names: readonly string[]): void {
    this.names = names
    this.#tell(true)
  }

  onChange(listener: (isUrgent: boolean) => void): () => void {
    this.#tell = listener
    return () => {}
  }
}

describe('the desired webhooks', () => {
  const desired = (
    settings: Partial<WebhookSettings> = {},
    present: readonly MutatingWebhook[] = [],
    proof: 'proven' | 'unknown' = 'proven',
  ) =>
    desiredWebhooks({ ...SETTINGS, ...settings }, 'CA', present, {
      isTied: true,
      proof,
      held: scopeOf([]),
      strange: [],
    })
  const held = (webhooks: readonly MutatingWebhook[]) =>
    webhooks.find(({ name }) => name === 'held.dormouse.dev')?.failurePolicy
  const NAME = 'kubernetes.io/metadata.name'

  it('stay at Ignore where that is asked for', () => {
    expect([held(desired()), held(desired({ failurePolicy: 'Ignore' }))]).to.deep.equal(['Fail', 'Ignore'])
  })

  it('keep a Fail that is found at their own address alone, until it is proven anew', () => {
    expect(held(desired({}, desired(), 'unknown'))).to.equal('Fail')
    expect(held(desired({ url: 'https://elsewhere.example' }, desired(), 'unknown'))).to.equal('Ignore')
  })

  it('leave exempt accounts out of the review', () => {
    for (const { matchConditions, timeoutSeconds } of desired({ ownUser: 'me' }).slice(0, -1)) {
      const [exempt, own] = matchConditions as { expression: string }[]
      expect(exempt?.expression).to.equal(String.raw`!(request.userInfo.username in ['o\'brien'])`)
      expect(own?.expression).to.include("request.userInfo.username == 'me'")
      expect(timeoutSeconds).to.equal(3)
    }
  })

  const excluded = { key: NAME, operator: 'NotIn', values: ['kube-system', 'dormouse'] }
  const matchLabels = { dormouse: 'yes' }
  const chosen = { key: 'env', operator: 'In', values: ['dev'] }
  for (const [which, settings, selector] of [
    ['are not excluded', {}, { matchExpressions: [excluded] }],
    [
      'there are, if none is excluded: an expression without values is refused',
      { excludeNamespaces: [] },
      {},
    ],
    [
      'are chosen and not excluded',
      {
        namespaceSelector: {
          matchLabels,
          matchExpressions: [chosen, { key: 'quiet', operator: 'DoesNotExist', values: [] }],
        },
      },
      { matchLabels, matchExpressions: [excluded, chosen, { key: 'quiet', operator: 'DoesNotExist' }] },
    ],
  ] as const)
    it(`are asked about the namespaces that ${which}; the probe's always`, () => {
      const probes = { matchExpressions: [{ key: NAME, operator: 'In', values: ['dormouse'] }] }
      const selectors = desired(settings).map(({ namespaceSelector }) => namespaceSelector)
      expect(selectors).to.deep.equal([...Array(5).fill(selector), probes])
    })
})

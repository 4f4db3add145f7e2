import { expect } from 'chai'
import { ANNOTATION, ASLEEP_LABEL } from '../../src/domain/workload/workload.ts'
import { causeOf } from '../../src/domain/workload/explanation.ts'
import { Refusal } from '../../src/process/errors.ts'
import type { HttpRequest } from '../../src/kubernetes/http.ts'
import { failureOf } from '../support/failure-of.ts'
import {
  aDeployment,
  NAMESPACE,
  NOW,
  OBJECT,
  over,
  patched,
  reads,
  SETTINGS,
  status,
  WEB,
} from './answering-cluster.ts'

const refused = (act: Promise<unknown>) => failureOf(act, Refusal)

describe('the client over a cluster on its bad days', () => {
  for (const [what, data, warning, says] of [
    ['Dormouse is not installed', undefined, undefined, 'not installed in this cluster'],
    [
      'the webhook is not reached',
      { version: '1.2.3' },
      undefined,
      'does not reach the webhook of Dormouse 1.2.3',
    ],
    [
      'Dormouse knows no requests yet',
      undefined,
      'Dormouse: deployment shop/web: dormouse.dev/request is unknown',
      'too old for requests',
    ],
  ] as const)
    it(`${what}: says so, and takes the request back`, async () => {
      const { dormouse, patches } = over((request) => {
        if (request.method !== 'PATCH') return reads(request, data)
        return { body: patched({ ...request, body: patchBody(request) }), ...(warning && { warning }) }
      })
      const { message } = await refused(dormouse.request(WEB, { action: 'wake' }, false))
      expect(message).to.include('Dormouse does not answer').and.include(says)
      expect(patches).to.have.length(2)
      expect(JSON.parse(patches[1]?.body ?? '')).to.deep.equal([
        {
          op: 'test',
          path: '/metadata/annotations/dormouse.dev~1request',
          value: 'wake @2026-03-02T12:00:00.000Z',
        },
        { op: 'remove', path: '/metadata/annotations/dormouse.dev~1request' },
      ])
    })

  /** The second patch is a JSON Patch, which has no annotations. */
  function patchBody({ body = '' }: HttpRequest): string {
    return body.startsWith('[') ? JSON.stringify({ metadata: { annotations: {} } }) : body
  }

  it('a lost answer is asked for again, with the same text and time', async () => {
    const { dormouse, patches } = over((request, sent) => {
      if (request.method !== 'PATCH') return reads(request)
      if (sent.length === 0) return Object.assign(new Error('hung up'), { code: 'ECONNRESET' })
      return { body: aDeployment(), warning: 'Dormouse: deployment shop/web woken to 2 replicas' }
    })
    const { messages } = await dormouse.request(WEB, { action: 'wake', for: 3_600_000 }, false)
    expect(messages).to.deep.equal(['woken to 2 replicas'])
    expect(patches).to.have.length(2)
    expect(patches[0]?.body).to.equal(patches[1]?.body)
    expect(patches[0]?.body).to.include('wake 1h @2026-03-02T12:00:00.000Z')
    expect(patches[0]?.path).to.equal(`${OBJECT}?fieldManager=kubectl-dormouse`)
  })

  for (const [what, answer, says] of [
    [
      'no rights',
      status(403, 'deployments.apps "web" is forbidden: User "ann" cannot patch'),
      'User "ann" cannot patch; ask whoever runs the cluster for the role edit',
    ],
    ['expired credentials', status(401, 'Unauthorized'), 'cluster dev does not know you: log in again'],
    [
      'a refusal of Dormouse',
      status(
        403,
        'admission webhook "workloads.dormouse.dev" denied the request: Dormouse: deployment shop/web: pinned awake by k8s:ann',
      ),
      'Dormouse: deployment shop/web: pinned awake by k8s:ann',
    ],
    [
      'nobody there',
      Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
      'cluster dev cannot be reached (connect ECONNREFUSED)',
    ],
  ] as const)
    it(`${what}: says what it is and what to do`, async () => {
      const { dormouse } = over((request) => (request.method === 'PATCH' ? answer : reads(request)))
      expect((await refused(dormouse.request(WEB, { action: 'wake' }, false))).message).to.include(says)
    })

  it('pods are read by the selector with the rights of the person; without them, nothing is said', async () => {
    const object = { ...aDeployment(), spec: { replicas: 2, selector: { matchLabels: { app: 'web' } } } }
    const pod = {
      metadata: {},
      status: { conditions: [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes are available' }] },
    }
    const asked: string[] = []
    const rights = (allowed: boolean) => (path: string) => {
      asked.push(path)
      return !allowed
    }
    const answers = (request: HttpRequest) => reads(request, undefined, object)
    const may = over(answers, () => NOW, rights(true), undefined, [pod])
    expect(await may.dormouse.podTrouble(WEB)).to.deep.equal({
      code: 'Unschedulable',
      message: '0/3 nodes are available',
    })
    expect(asked).to.deep.equal(['/api/v1/namespaces/shop/pods?limit=50&labelSelector=app%3Dweb'])
    expect(await over(answers, () => NOW, rights(false)).dormouse.podTrouble(WEB)).to.equal(undefined)
    const all = over(
      (request) => reads(request),
      () => NOW,
      rights(true),
      undefined,
      [pod],
    )
    expect(await all.dormouse.podTrouble(WEB), 'without a selector').to.equal(undefined)
    expect(asked).to.have.length(2)
  })

  it('a refusal of Dormouse that explains itself is told without what kubectl would be typed', async () => {
    const why = {
      reason: 'pinned awake by k8s:ann',
      reason_code: 'pinned',
      reason_values: { by: 'k8s:ann' },
      remedy: { action: 'unpin', query: {} },
    } as const
    const denied = {
      status: 403,
      body: {
        kind: 'Status',
        message: 'admission webhook "held.dormouse.dev" denied the request: Dormouse: …; to let it go: …',
        details: { causes: [{ reason: 'other' }, causeOf(why)] },
      },
    }
    const { dormouse } = over((request) => (request.method === 'PATCH' ? denied : reads(request)))
    const { message, details } = await refused(dormouse.request(WEB, { action: 'wake' }, false))
    expect(message).to.equal('pinned awake by k8s:ann')
    expect(details).to.deep.equal(why)
  })

  it('who may read neither the settings nor the Namespace sees what there is, and a note', async () => {
    const { dormouse } = over((request) => {
      const [path] = request.path.split('?')
      if (path === SETTINGS || path === NAMESPACE) return status(403, 'forbidden')
      return reads(request, undefined, aDeployment({ [ANNOTATION.enabled]: 'true' }))
    })
    expect((await dormouse.get(WEB)).record).to.include({ enabled: true, current_replicas: 2 })
    expect(dormouse.notes.join()).to.include('may not read the namespace')
  })

  it('knows zone, kinds, rules, exclusions and policies as they are published', async () => {
    const policies = [{ name: 'dev', namespaces: { names: ['shop'] }, enabled: true, schedule: '8:00-18:00' }]
    const data = {
      timezone: 'Asia/Tokyo',
      kinds: '[{"resource":"rollouts.argoproj.io"}]',
      excludeNamespaces: '["infra"]',
      policies: JSON.stringify(policies),
    }
    const { dormouse } = over((request) => reads(request, data))
    expect(await dormouse.kinds()).to.include('rollouts.argoproj.io')
    const { record } = await dormouse.get(WEB)
    expect(record.policy.schedule).to.deep.equal({ value: '8:00-18:00', source: 'policy/dev' })
    expect(record.timezone).to.equal('Asia/Tokyo')
    expect((await refused(dormouse.get({ ...WEB, namespace: 'infra' }))).code).to.equal('NAMESPACE_EXCLUDED')
    expect(dormouse.notes).to.deep.equal([])
  })

  it('calls the cluster as its service does, with the context in brackets, once that was read', async () => {
    const { dormouse } = over((request) => reads(request, { version: '1.0.0', cluster: 'dev-eu' }))
    expect(dormouse.place).to.equal('cluster dev')
    await dormouse.serviceVersion()
    expect(dormouse.place).to.equal('cluster dev-eu (dev)')
    expect(dormouse.clusterName).to.equal('dev-eu')
    const same = over((request) => reads(request, { cluster: 'dev' })).dormouse
    await same.serviceVersion()
    expect(same.place).to.equal('cluster dev')
  })

  it('says who released the cluster, in records and as a note', async () => {
    const released = JSON.stringify({ by: 'ana', since: '2026-03-02T05:37:00Z' })
    const object = aDeployment({ [ANNOTATION.enabled]: 'true' })
    const { dormouse } = over((request) => reads(request, { released }, object))
    const { record } = await dormouse.get(WEB)
    expect(record.reason).to.equal('released by ana since 2026-03-02T05:37:00Z: nothing is automatic')
    expect(dormouse.unknowns.join()).to.include('nobody carries out requests')
    const unheard = over((request) =>
      request.method === 'PATCH'
        ? { body: request.body?.startsWith('[') ? object : patched(request) }
        : reads(request, { released }, object),
    )
    const { message } = await refused(unheard.dormouse.request(WEB, { action: 'wake' }, false))
    expect(message).to.include('released by ana').and.not.include('webhook')
  })

  it('notes that calendars and policies are the service’s own knowledge', async () => {
    const annotations = {
      [ANNOTATION.enabled]: 'true',
      [ANNOTATION.schedule]: '8:00-18:00',
      [ANNOTATION.calendar]: 'de-be',
    }
    const dated = over((request) =>
      reads(request, { version: '1', policies: '[]' }, aDeployment(annotations)),
    )
    expect((await dated.dormouse.get(WEB)).record.wake_schedule).to.equal('8:00-18:00')
    expect(dated.dormouse.unknowns.join()).to.include('calendar de-be')
    const state = '{"v":2,"kind":"deployments","counter":1,"asleep":true}'
    const asleep = aDeployment({ [ANNOTATION.state]: state }, { [ASLEEP_LABEL]: '2' })
    const byPolicy = over((request) =>
      reads(request, { version: '1' }, { ...asleep, spec: { ...asleep.spec, replicas: 0 } }),
    )
    expect((await byPolicy.dormouse.get(WEB)).record).to.include({ enabled: true, is_snoozed: true })
    expect(byPolicy.dormouse.unknowns.join()).to.include('policies are not published')
  })

  it('who looks for long sees what has changed in the Namespace and in the settings, also after an outage', async () => {
    let now = NOW
    let schedule = '8:00-18:00,Mon-Fri'
    let timezone = 'UTC'
    let isAway = false
    const { dormouse } = over(
      (request) => {
        if (isAway) return Object.assign(new Error('hung up'), { code: 'ECONNRESET' })
        if (request.path !== NAMESPACE) return reads(request, { version: '1', timezone })
        const annotations = { [ANNOTATION.enabled]: 'true', [ANNOTATION.schedule]: schedule }
        return { body: { metadata: { name: 'shop', uid: 'n', resourceVersion: '1', annotations } } }
      },
      () => now,
    )
    const seen = async () => {
      const { wake_schedule, timezone } = (await dormouse.get(WEB)).record
      return [wake_schedule, timezone]
    }
    expect(await seen()).to.deep.equal(['8:00-18:00,Mon-Fri', 'UTC'])
    ;[schedule, timezone] = ['9:00-17:00,Mon-Fri', 'Europe/Berlin']
    now += 3_600_000
    isAway = true
    expect((await refused(dormouse.get(WEB))).code).to.equal('CLUSTER_UNAVAILABLE')
    isAway = false
    expect(await seen()).to.deep.equal(['9:00-17:00,Mon-Fri', 'Europe/Berlin'])
  })

  it('says that nothing is seen of Dormouse: beside what is read, and beside a setting that nobody may act on', async () => {
    const { dormouse } = over((request) =>
      request.method === 'PATCH' ? { body: patched(request) } : reads(request),
    )
    await dormouse.get(WEB)
    expect(dormouse.unknowns.join()).to.include('Dormouse may not be installed in this cluster')
    const { messages } = await dormouse.request(WEB, { action: 'enable' }, false)
    expect(messages[0]).to.match(/^the settings are written\. If Dormouse runs here: enabled/)
    expect(messages.at(-1)).to.include('Dormouse may not be installed in this cluster')
    const known = over((request) =>
      request.method === 'PATCH'
        ? { body: patched(request) }
        : reads(request, { version: '1.2.3', policies: '[]' }),
    ).dormouse
    expect((await known.request(WEB, { action: 'enable' }, false)).messages).to.have.length(1)
    expect([...known.notes, ...known.unknowns]).to.deep.equal([])
  })

  it('says where the service computes by other zone data than this program', async () => {
    for (const [zoneData, says] of [
      ['2019a', /^the service computes by zone data 2019a, this program by 20\d\d[a-z]/],
      [process.versions['tz'] ?? '', /^$/],
    ] as const) {
      const { dormouse } = over((request) => reads(request, { version: '1', policies: '[]', zoneData }))
      await dormouse.get(WEB)
      expect(dormouse.unknowns.join()).to.match(says)
    }
  })

  it('does not doubt that it is installed where it has written to a workload', async () => {
    const state = '{"v":2,"kind":"deployments","counter":1}'
    const { dormouse } = over((request) =>
      request.method === 'PATCH'
        ? { body: aDeployment({ ...JSON.parse(request.body ?? '').metadata?.annotations }) }
        : reads(request, undefined, aDeployment({ [ANNOTATION.state]: state })),
    )
    await dormouse.get(WEB)
    expect(dormouse.unknowns.join())
      .to.include("the service's settings are not known: there is no filled ConfigMap dormouse")
      .and.not.include('may not be installed')
    const { message } = await refused(dormouse.request(WEB, { action: 'wake' }, true))
    expect(message).to.include('does not reach its webhook').and.not.include('is not installed')
  })

  it('says in the same words that Dormouse does not answer where the cluster refuses the write for that', async () => {
    /** As without a webhook; the annotation is taken back by JSON Patch. */
    const stored = (request: HttpRequest) => ({
      body: request.body?.startsWith('[') ? aDeployment() : patched(request),
    })
    const failed = (name: string) =>
      `Internal error occurred: failed calling webhook "${name}": Post "https://d:9443": connection refused`
    const wake = (answer?: object) => {
      const { dormouse } = over((request) =>
        request.method === 'PATCH'
          ? (answer ?? stored(request))
          : reads(request, { version: '1.2.3', policies: '[]' }),
      )
      return refused(dormouse.request(WEB, { action: 'wake' }, false))
    }
    const unheard = await wake()
    const down = await wake(status(500, failed('held.dormouse.dev')))
    expect([down.code, down.message]).to.deep.equal([unheard.code, unheard.message])
    expect(down.message).to.match(/^Dormouse does not answer, so deployment shop\/web was left as it is/)
    const { message } = await wake(status(500, failed('policy.example.com')))
    expect(message).to.include('policy.example.com').and.not.include('Dormouse does not answer')
  })

  it('a refused list of all namespaces takes nothing away from the next, of one namespace', async () => {
    const { dormouse } = over(
      (request) => reads(request, { version: '1', policies: '[]' }),
      () => NOW,
      (path) => path.startsWith('/apis/') && !path.includes('/namespaces/shop/'),
    )
    expect((await refused(dormouse.list({ namespace: undefined }))).code).to.equal('FORBIDDEN')
    const stop = new AbortController()
    for await (const { record } of dormouse.watch({ namespace: 'shop' }, stop.signal)) {
      expect(record.name).to.equal('web')
      stop.abort()
    }
    expect(dormouse.notes).to.deep.equal([])
  })

  it('says what to do about a right that lacks: for one namespace, and for all', async () => {
    const told = async (message: string) => {
      const { dormouse } = over((request) =>
        request.path === OBJECT ? status(403, message) : reads(request),
      )
      return (await refused(dormouse.get(WEB))).message
    }
    const here = 'User "ann" cannot get resource "deployments" in the namespace "shop"'
    expect(await told(here)).to.include(`${here}; ask whoever runs the cluster for the role edit in that`)
    const list = 'User "ann" cannot list resource "deployments" in the namespace "default"'
    expect(await told(list)).to.include(`${list}; name a namespace that you may read by -n, or ask whoever`)
    const one = 'User "ann" cannot get resource "deployments" in the namespace "default"'
    expect(await told(one)).to.include(`${one}; name its namespace by -n, or ask whoever`)
    const all = 'User "ann" cannot list resource "deployments" at the cluster scope'
    expect(await told(all)).to.equal(`${all}; name one namespace that you may read by -n`)
    const other = 'User "ann" cannot impersonate resource "users" at the cluster scope'
    expect(await told(other)).to.equal(`${other}; ask whoever runs the cluster`)
  })

  it('sends no request that Dormouse would not see', async () => {
    const { dormouse, patches } = over((request) => reads(request))
    const key = { ...WEB, namespace: 'kube-system' }
    await refused(dormouse.request(key, { action: 'wake' }, false))
    expect(patches).to.deep.equal([])
  })

  it('a configured kind that cannot sleep is left out of the list, with a note why', async () => {
    const { dormouse } = over((request) => {
      const [path] = request.path.split('?')
      if (path === '/apis/argoproj.io') return { body: { preferredVersion: { version: 'v1' } } }
      if (path === '/apis/argoproj.io/v1')
        return { body: { resources: [{ name: 'rollouts', kind: 'Rollout' }] } }
      return reads(request, { version: '1.2.3', kinds: '[{"resource":"rollouts.argoproj.io"}]' })
    })
    const found = await dormouse.list({ namespace: 'shop' })
    expect(found.map(({ record: { name } }) => name)).to.deep.equal(['web'])
    expect(dormouse.notes.join()).to.include('rollouts.argoproj.io cannot be managed: it has no scale')
  })
})

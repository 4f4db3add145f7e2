import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import jsonPatch, { type Operation } from 'fast-json-patch'
import { apiVersionOf } from '../../src/domain/kinds.ts'
import { KINDS, type Kind } from '../../src/domain/workload/workload.ts'
import { define, scaledObject, scaledObjectsIn, undefine } from '../keda/operator.ts'
import { describeOnWith } from '../support/clusters.ts'
import { defineKind, undefineKind } from '../support/custom-kinds.ts'
import { eventually } from '../support/eventually.ts'
import { manifest } from '../support/manifests.ts'
import { isRefused, isTaken } from './answers.ts'
import { helmIn } from './helm.ts'
import { helm } from '../go-programs/go-program.ts'

type Patch = readonly { op: string; path: string; value?: unknown }[]

const ANNOTATIONS = '/metadata/annotations'
const LABELS = '/metadata/labels'
const POD = '/spec/template/spec'
/** The API server itself counts a DaemonSet's templates in it. */
const GENERATION = 'deprecated.daemonset.template.generation'
const add = (path: string, value: unknown): Patch => [{ op: 'add', path, value }]

const GROUP = 'policy.example.com'
const BESIDE = [
  { group: GROUP, plural: 'masts', kind: 'Mast' },
  { group: GROUP, plural: 'sails', kind: 'Sail' },
]
/** One with a label, one with a path. */
const CONFIGURED = {
  owners: [{ resource: `masts.${GROUP}`, pause: { label: 'example.com/paused', asleep: 'true' } }],
  kinds: [
    {
      resource: `ships.${GROUP}`,
      along: [{ resource: `sails.${GROUP}`, selectedBy: '.spec.ship', path: '.spec.run.off', asleep: true }],
    },
  ],
}

/** Its switch lies deeper than in the presets, its count not where most have it. */
const DEEP = {
  winches: { resource: `winches.${GROUP}`, switch: { path: '.spec.run.byHand', asleep: 'off', awake: 'on' } },
  ropes: { resource: `ropes.${GROUP}`, specReplicasPath: '.spec.run.count' },
}

/** On every kind. */
const REFUSED: Readonly<Record<string, Patch>> = {
  'another annotation': add(`${ANNOTATIONS}/example.com~1note`, 'x'),
  'an annotation that only begins as ours': add(`${ANNOTATIONS}/dormouse.dev.example.com~1state`, 'x'),
  'the loss of an annotation': [{ op: 'remove', path: `${ANNOTATIONS}/kept` }],
  'another value of an annotation': add(`${ANNOTATIONS}/kept`, 'other'),
  'the loss of all annotations': [{ op: 'remove', path: ANNOTATIONS }],
  'another label': add(`${LABELS}/team`, 'x'),
  'another value of a label': add(`${LABELS}/kept`, 'other'),
  'a finalizer': add('/metadata/finalizers', ['example.com/stay']),
  'an owner': add('/metadata/ownerReferences', [
    { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'x' },
  ]),
  'the image': add(`${POD}/containers/0/image`, 'other'),
  'one more container': add(`${POD}/containers/-`, { name: 'more', image: 'more' }),
  "the host's network": add(`${POD}/hostNetwork`, true),
  'an account': add(`${POD}/serviceAccountName`, 'other'),
  'a label of the pods': add('/spec/template/metadata/labels/team', 'x'),
  'a node selector': add(`${POD}/nodeSelector`, { pool: 'x' }),
  'when pods count as ready': add('/spec/minReadySeconds', 3),
  'ours and something else together': [
    ...add(`${ANNOTATIONS}/dormouse.dev~1state`, '{}'),
    ...add(`${POD}/containers/0/image`, 'other'),
  ],
}

/** The same change of a CronJob, whose pods stand deeper. */
function ofCronJob(patch: Patch): Patch {
  return patch.map((each) => ({
    ...each,
    path: each.path
      .replace('/spec/template', '/spec/jobTemplate/spec/template')
      .replace('/spec/minReadySeconds', '/spec/startingDeadlineSeconds'),
  }))
}

const SLEEPS: Readonly<Partial<Record<Kind, Patch>>> = {
  daemonsets: add(`${POD}/nodeSelector/dormouse.dev~1snoozed`, 'true'),
  cronjobs: add('/spec/suspend', true),
}

const MARKS: Readonly<Record<string, Patch>> = {
  'without either mark': [],
  'without the label': add(`${ANNOTATIONS}/dormouse.dev~1state`, '{}'),
  'without the state': add(`${LABELS}/dormouse.dev~1asleep`, '2'),
}

const ALLOWED: Readonly<Record<string, (kind: Kind) => Patch>> = {
  'to sleep': (kind) => [
    ...add(`${ANNOTATIONS}/dormouse.dev~1state`, '{}'),
    ...add(`${LABELS}/dormouse.dev~1asleep`, '2'),
    ...(SLEEPS[kind] ?? add('/spec/replicas', 0)),
  ],
  'our marks away': () => [
    ...add(`${ANNOTATIONS}/dormouse.dev~1state`, '{}'),
    { op: 'remove', path: `${ANNOTATIONS}/dormouse.dev~1state` },
  ],
  'who manages what': () => add('/metadata/managedFields', [{}]),
  'a setting': () => add(`${ANNOTATIONS}/dormouse.dev~1schedule`, '8:00-18:00'),
}

describeOnWith(helm, "the policy on Dormouse's account", function (on, program) {
  this.timeout(180_000)
  const own = `policy-${randomBytes(4).toString('hex')}`
  const namespace = `${own}-shop`
  const quiet = `${own}-quiet`
  const release = { name: own, namespace: own }
  const user = `system:serviceaccount:${own}:${own}-dormouse`
  const { template } = helmIn(program)

  /** As the account, or as an administrator of another name. */
  const as = (who: string) => ({
    'impersonate-user': who,
    ...(who !== user && { 'impersonate-group': 'system:masters' }),
  })
  /** A dry run as the account. */
  const patched = (kind: Kind, patch: Patch, { who = user, name = 'held', where = namespace } = {}) =>
    on().admin.send(
      'PATCH',
      `/apis/${apiVersionOf(kind)}/namespaces/${where}/${kind}/${name}?dryRun=All&fieldManager=dormouse`,
      patch,
      as(who),
    )

  /** The same change as a PUT of the whole object, without managedFields. */
  const put = async (kind: Kind, patch: Patch, who = user) => {
    const path = `/apis/${apiVersionOf(kind)}/namespaces/${namespace}/${kind}/held`
    const object = await on().admin.expect('GET', path)
    const unmanaged = { ...object, metadata: { ...object.metadata, managedFields: [] } }
    const { newDocument } = jsonPatch.applyPatch(unmanaged, patch as Operation[])
    return on().admin.send('PUT', `${path}?dryRun=All&fieldManager=dormouse`, newDocument, as(who))
  }

  before('the account, its role and its policy are there', async () => {
    for (const name of [own, namespace, quiet])
      await on().admin.expect('POST', '/api/v1/namespaces', { metadata: { name } })
    const kinds = [{ preset: 'cloudnative-pg' }, { preset: 'percona-mysql' }]
    const values = {
      rbac: { aggregate: false },
      config: {
        excludeNamespaces: [quiet],
        owners: CONFIGURED.owners,
        kinds: [...kinds, ...CONFIGURED.kinds, ...Object.values(DEEP)],
      },
    }
    const objects = (await template(values, release)).filter(({ kind }) => KEPT.includes(kind))
    expect((await on().kubectl.withFile('create', objects)).stderr).to.equal('')
    await on().create(
      namespace,
      KINDS.map((kind) =>
        manifest(kind, 'held', {
          replicas: 2,
          labels: { kept: 'yes' },
          annotations: { kept: 'yes' },
          ...(kind === 'daemonsets' && { nodeSelector: { pool: 'here' } }),
        }),
      ),
    )
    // The API server needs a moment to compile the policy, and to know the account's role.
    await eventually('the policy to hold', async () => {
      const { status, body } = await patched('deployments', REFUSED['a finalizer'] ?? [])
      return status === 422 || (status === 403 && body.message?.includes('ValidatingAdmissionPolicy'))
    })
  })

  after(async () => {
    const everywhere = [
      'clusterrole',
      'clusterrolebinding',
      'validatingadmissionpolicy',
      'validatingadmissionpolicybinding',
    ]
    const labelled = ['-l', `app.kubernetes.io/instance=${own}`]
    await on().kubectl('delete', everywhere.join(','), ...labelled)
    for (const name of EXCLUDED)
      await on().kubectl('delete', 'deployment', 'excluded', '-n', name, '--ignore-not-found')
    for (const name of [own, namespace, quiet])
      await on().admin.expect('DELETE', `/api/v1/namespaces/${name}`)
  })

  for (const kind of KINDS) {
    it(`lets it do with ${kind} what Dormouse does`, async () => {
      for (const [what, patch] of Object.entries(ALLOWED)) await isTaken(patched(kind, patch(kind)), what)
    })

    it(`lets it change nothing else of ${kind}`, async () => {
      const others =
        kind === 'daemonsets'
          ? { 'a key of the selector': [{ op: 'remove', path: `${POD}/nodeSelector/pool` }] }
          : { "a DaemonSet's annotation": add(`${ANNOTATIONS}/${GENERATION}`, '1') }
      for (const [what, patch] of Object.entries({ ...REFUSED, ...others }))
        await isRefused(patched(kind, kind === 'cronjobs' ? ofCronJob(patch) : patch), 'Dormouse', what)
      await isTaken(patched(kind, REFUSED['another annotation'] ?? [], { who: 'somebody' }), 'anybody else')
    })

    it(`lets it put ${kind} to sleep only with the marks that keep the count`, async () => {
      for (const [what, marks] of Object.entries(MARKS)) {
        const patch = [...marks, ...(SLEEPS[kind] ?? add('/spec/replicas', 0))]
        const says = 'Dormouse may put a workload to sleep only together with'
        await isRefused(patched(kind, patch), says, what)
        await isTaken(patched(kind, patch, { who: 'somebody' }), what)
      }
      if (kind in SLEEPS) return
      const lower = add('/spec/replicas', 1)
      await isRefused(patched(kind, lower), 'Dormouse may lower a count only together with', 'a lower count')
      await isTaken(
        patched(kind, [...add(`${ANNOTATIONS}/dormouse.dev~1state`, '{}'), ...lower]),
        'with a state',
      )
    })
  }

  for (const kind of KINDS)
    it(`judges a PUT of ${kind} as a patch`, async () => {
      const image = REFUSED['the image'] ?? []
      const refused = {
        'the image': kind === 'cronjobs' ? ofCronJob(image) : image,
        'another annotation': REFUSED['another annotation'] ?? [],
        'sleep without the marks': SLEEPS[kind] ?? add('/spec/replicas', 0),
      }
      for (const what of ['to sleep', 'a setting'] as const)
        await isTaken(put(kind, ALLOWED[what]?.(kind) ?? []), what)
      for (const [what, patch] of Object.entries(refused)) {
        await isRefused(put(kind, patch), 'Dormouse', what)
        await isTaken(put(kind, patch, 'somebody'), what)
      }
    })

  it('lets it write of the status of a CronJob when it started a Job last, and nothing else', async () => {
    const status = { name: 'held/status' }
    await isTaken(patched('cronjobs', add('/status/lastScheduleTime', '2026-03-02T08:00:00Z'), status))
    for (const [kind, patch] of [
      ['cronjobs', add('/status/lastSuccessfulTime', '2026-03-02T08:00:00Z')],
      ['deployments', add('/status/observedGeneration', 1)],
    ] as const) {
      const answer = await patched(kind, patch, status)
      expect(answer.status, answer.body.message).to.be.oneOf([403, 422])
    }
  })

  it('lets it only update, even with the rights of an administrator', async () => {
    const masters = { 'impersonate-user': user, 'impersonate-group': 'system:masters' }
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments`
    for (const [method, of, body] of [
      ['POST', '', manifest('deployments', 'made')],
      ['DELETE', '/held', undefined],
      ['PATCH', '/held/scale', { spec: { replicas: 5 } }],
    ] as const) {
      const answer = await on().admin.send(method, `${path}${of}?dryRun=All`, body, masters)
      expect(answer.body.message).to.include('Dormouse may only update workloads')
    }
  })

  it('keeps it out of excluded namespaces: with a stolen token nobody can put their workloads to sleep', async () => {
    const excluded = manifest('deployments', 'excluded', { replicas: 2, annotations: { kept: 'yes' } })
    for (const where of [...EXCLUDED, quiet, own]) {
      await on().create(where, [excluded])
      const there = { name: 'excluded', where }
      for (const patch of [
        add('/spec/replicas', 0),
        add('/spec/replicas', 5),
        add(`${ANNOTATIONS}/dormouse.dev~1enabled`, 'true'),
      ])
        await isRefused(
          patched('deployments', patch, there),
          'Dormouse may not change excluded namespaces',
          where,
        )
      await isTaken(patched('deployments', add('/spec/replicas', 5), { ...there, who: 'somebody' }), where)
    }
  })

  it('lets it write Events in its own name alone, and none in excluded namespaces', async () => {
    const event = (where: string, component = 'dormouse', reportingComponent = component) => ({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'web.1', namespace: where },
      involvedObject: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', namespace: where },
      reason: 'Woken',
      message: 'Woken',
      type: 'Normal',
      source: { component },
      reportingComponent,
    })
    const path = (where: string, name = '') =>
      `/api/v1/namespaces/${where}/events${name}?fieldManager=dormouse`
    const create = (body: ReturnType<typeof event>, who = user) =>
      on().admin.send('POST', `${path(body.metadata.namespace)}&dryRun=All`, body, as(who))
    for (const where of [namespace, own]) await isTaken(create(event(where)), where)
    await isTaken(
      on().admin.send('POST', `${path('default')}&dryRun=All`, event('default'), as(user)),
      'about its webhook configuration',
    )
    for (const forged of [
      event(namespace, 'kubelet'),
      event(namespace, 'dormouse', ''),
      event(namespace, '', 'dormouse'),
    ])
      await isRefused(create(forged), 'Dormouse may write Events in its own name only')
    for (const where of [...EXCLUDED, quiet])
      await isRefused(create(event(where)), 'Dormouse may write no Events in excluded namespaces', where)
    await on().admin.expect('POST', path(namespace), event(namespace, 'kubelet'))
    const change = (who: string) =>
      on().admin.send('PATCH', `${path(namespace, '/web.1')}&dryRun=All`, { message: 'other' }, as(who))
    await isRefused(change(user), 'Dormouse may write Events in its own name only', 'of others')
    await isTaken(change('somebody'), 'anybody else')
  })

  describe("on operators' own switches", () => {
    const clusters = { group: 'postgresql.cnpg.io', plural: 'clusters', kind: 'Cluster' }
    const mysqls = { group: 'ps.percona.com', plural: 'perconaservermysqls', kind: 'PerconaServerMySQL' }
    const pathOf = ({ group, plural }: typeof clusters, name = '') =>
      `/apis/${group}/v1/namespaces/${namespace}/${plural}${name}`

    const winches = { group: GROUP, plural: 'winches', kind: 'Winch' }
    const ropes = { group: GROUP, plural: 'ropes', kind: 'Rope' }
    const all = [clusters, mysqls, winches, ropes]

    before('there is one of each', async () => {
      for (const each of all) {
        await defineKind(on(), each)
        const metadata = { name: 'held', annotations: { kept: 'yes' }, labels: { kept: 'yes' } }
        const spec = { instances: 3, ...(each === ropes && { run: { count: 3 } }) }
        const object = { apiVersion: `${each.group}/v1`, kind: each.kind, metadata, spec }
        await on().admin.expect('POST', pathOf(each), object)
      }
    })
    after(async () => {
      for (const each of all) await undefineKind(on(), each)
    })

    const hibernated = add(`${ANNOTATIONS}/cnpg.io~1hibernation`, 'on')
    const paused = add('/spec/pause', true)
    /** Nothing is there above its switch. */
    const turnedOff = add('/spec/run', { byHand: 'off' })
    const state = add(`${ANNOTATIONS}/dormouse.dev~1state`, '{}')
    const marks = [...state, ...add(`${LABELS}/dormouse.dev~1asleep`, '1')]
    const change = (of: typeof clusters, patch: Patch, who = user) =>
      on().admin.send('PATCH', `${pathOf(of, '/held')}?dryRun=All&fieldManager=dormouse`, patch, as(who))

    it('lets it put one to sleep with its marks, and not without', async () => {
      for (const [of, patch] of [
        [clusters, hibernated],
        [mysqls, paused],
        [winches, turnedOff],
        [ropes, add('/spec/run/count', 0)],
      ] as const) {
        await isTaken(change(of, [...patch, ...marks]), of.plural)
        await isRefused(change(of, [...patch, ...state]), 'only together with', of.plural)
        await isTaken(change(of, patch, 'somebody'), of.plural)
      }
      await isRefused(
        change(ropes, add('/spec/run/count', 2)),
        'Dormouse may lower a count only together with',
      )
      await isTaken(change(ropes, [...add('/spec/run/count', 2), ...state]))
      await isTaken(change(winches, add('/spec/run', { byHand: 'on' })))
    })

    it('lets it set nothing else, not even the one of another kind', async () => {
      for (const [of, patch] of [
        [clusters, paused],
        [clusters, add('/spec/instances', 1)],
        [mysqls, hibernated],
        [mysqls, add('/spec/instances', 1)],
        [mysqls, add(`${ANNOTATIONS}/kept`, 'other')],
        [winches, add('/spec/run', { byHand: 'on', fast: true })],
        [ropes, add('/spec/run/length', 1)],
        [ropes, [{ op: 'remove', path: '/spec' }]],
      ] as const) {
        await isRefused(change(of, patch), 'Dormouse may change')
        await isTaken(change(of, patch, 'somebody'))
      }
    })
  })

  describe('on ScaledObjects', () => {
    const scaler = scaledObject('scaler', { type: 'none' }, { min: 1, annotations: { kept: 'yes' } })
    const path = `${scaledObjectsIn(namespace, 'scaler')}?dryRun=All&fieldManager=dormouse`
    const change = (patch: Patch, who = user) => on().admin.send('PATCH', path, patch, as(who))
    const other = add(`${ANNOTATIONS}/other`, 'x')

    before('there is one, and its policy holds', async () => {
      await define(on())
      await eventually('ScaledObjects to be served', async () => {
        const { status } = await on().admin.send('POST', scaledObjectsIn(namespace), scaler)
        return status === 201
      })
      await eventually('the policy to hold', async () =>
        (await change(other)).body.message?.includes('ValidatingAdmissionPolicy'),
      )
    })

    after('KEDA is gone', () => undefine(on()))

    it('lets it pause, and end that', () =>
      isTaken(
        change([
          ...add(`${ANNOTATIONS}/autoscaling.keda.sh~1paused-replicas`, '0'),
          ...add(`${ANNOTATIONS}/dormouse.dev~1paused`, ''),
        ]),
      ))

    it('lets it change nothing else, and anybody else what they may', async () => {
      for (const [what, patch] of Object.entries({
        'another annotation': other,
        "KEDA's other pause": add(`${ANNOTATIONS}/autoscaling.keda.sh~1paused`, 'true'),
        'an annotation less': [{ op: 'remove', path: `${ANNOTATIONS}/kept` }],
        'a label': add('/metadata/labels', { other: 'x' }),
        'a finalizer': add('/metadata/finalizers', ['example.com/x']),
        'the target': add('/spec/scaleTargetRef/name', 'other'),
        'a bound': add('/spec/minReplicaCount', 0),
        'a trigger': add('/spec/triggers', [{ type: 'cron' }]),
      })) {
        await isRefused(change(patch), 'Dormouse', what)
        await isTaken(change(patch, 'somebody'), what)
      }
    })
  })

  describe('on what is configured to stand beside workloads', () => {
    const at = (name: string) => `/apis/${GROUP}/v1/namespaces/${namespace}/${name}`
    const change = (name: string, patch: Patch, who = user) =>
      on().admin.send('PATCH', `${at(name)}/one?dryRun=All&fieldManager=dormouse`, patch, as(who))
    const mark = add(`${ANNOTATIONS}/dormouse.dev~1paused`, '')

    before('there is one of each, and their policies hold', async () => {
      for (const custom of BESIDE) {
        await defineKind(on(), custom)
        await on().admin.expect('POST', at(custom.plural), {
          apiVersion: `${GROUP}/v1`,
          kind: custom.kind,
          metadata: { name: 'one', annotations: { kept: 'yes' }, labels: { kept: 'yes' } },
          spec: { run: { at: 'night' }, size: 3 },
        })
        await eventually('the policy to hold', async () => {
          const { body } = await change(custom.plural, add('/metadata/finalizers', ['example.com/x']))
          return body.message?.includes('ValidatingAdmissionPolicy')
        })
      }
    })

    after('they are gone', async () => {
      for (const custom of BESIDE) await undefineKind(on(), custom)
    })

    it('lets it set the one place of each, and its mark', async () => {
      await isTaken(change('masts', [...mark, ...add(`${LABELS}/example.com~1paused`, 'true')]))
      await isTaken(change('sails', [...mark, ...add('/spec/run/off', true)]))
    })

    it('lets it change nothing else of them, and anybody else what they may', async () => {
      const others = {
        'another annotation': add(`${ANNOTATIONS}/other`, 'x'),
        'another label': add(`${LABELS}/other`, 'x'),
        'a label less': [{ op: 'remove', path: `${LABELS}/kept` }],
        'a field beside it': add('/spec/run/at', 'day'),
        'a field above it': add('/spec/size', 0),
        'all of the spec': [{ op: 'remove', path: '/spec' }],
      }
      const place = { masts: '/spec/run/off', sails: `${LABELS}/example.com~1paused` }
      for (const { plural } of BESIDE)
        for (const [what, patch] of Object.entries({
          ...others,
          "another's place": add(place[plural as keyof typeof place], 'true'),
        })) {
          await isRefused(change(plural, patch), 'Dormouse', `${plural}: ${what}`)
          await isTaken(change(plural, patch, 'somebody'), `${plural}: ${what}`)
        }
    })
  })

  describe('in its own namespace', () => {
    const secrets = `/api/v1/namespaces/${own}/secrets?dryRun=All&fieldManager=dormouse`
    const account = { 'kubernetes.io/service-account.name': `${own}-dormouse` }
    const create = (path: string, body: object, group?: string) =>
      on().admin.send('POST', path, body, {
        'impersonate-user': user,
        ...(group !== undefined && { 'impersonate-group': group }),
      })
    const secret = (metadata: object, rest: object = { type: 'Opaque' }) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata,
      ...rest,
    })

    before('its policy holds', () =>
      eventually('the policy on creations to hold', async () => {
        const { body } = await create(secrets, secret({ name: 'other' }))
        return body.message?.includes('ValidatingAdmissionPolicy')
      }),
    )

    for (const name of ['dormouse-webhook', 'dormouse-state-keys'])
      it(`lets it create its Secret ${name}`, () => isTaken(create(secrets, secret({ name }))))

    it('lets it create no other Secret, and none that Kubernetes fills with a token', async () => {
      const ours = { name: 'dormouse-webhook' }
      const password = { type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': '{}' } }
      const says =
        'Dormouse may create no Secrets but Opaque ones of these names: dormouse-webhook, dormouse-state-keys'
      for (const [what, body] of Object.entries({
        'a token': secret({ ...ours, annotations: account }, { type: 'kubernetes.io/service-account-token' }),
        'another name': secret({ name: 'other' }),
        'any name': secret({ generateName: 'dormouse-webhook' }),
        "a registry's password": secret(ours, password),
      }))
        await isRefused(create(secrets, body), says, what)
    })

    it('forbids the same in other namespaces, even with the rights of an administrator', async () => {
      const path = secrets.replace(own, namespace)
      const { body } = await create(path, secret({ name: 'dormouse-webhook' }), 'system:masters')
      expect(body.message).to.include('Dormouse may create no Secrets but')
    })

    it('lets it create a ConfigMap as a dry run of its probe only', async () => {
      const path = `/api/v1/namespaces/${own}/configmaps`
      const probe = { metadata: { name: 'probe', labels: { 'dormouse.dev/probe': 'x' } } }
      const dry = await create(`${path}?dryRun=All`, probe, 'system:masters')
      expect(dry.status, dry.body.message).to.equal(201)
      const real = await create(path, probe, 'system:masters')
      expect(real.body.message).to.include('Dormouse may create ConfigMaps only as dry runs of its probe')
      const other = await create(`${path}?dryRun=All`, { metadata: { name: 'other' } }, 'system:masters')
      expect(other.body.message).to.include('Dormouse may create ConfigMaps only as dry runs of its probe')
    })
  })

  it('checks a workload as large as etcd takes', async () => {
    const { spec, ...rest } = manifest('deployments', 'large', {
      replicas: 0,
      annotations: { kept: 'yes' },
    })
    const { template } = spec as { template: { spec: { containers: object[] } } }
    const env = Array.from({ length: 10_000 }, (_, at) => ({
      name: `VARIABLE_${at}`,
      value: 'x'.repeat(60),
    }))
    template.spec.containers = template.spec.containers.map((container) => Object.assign(container, { env }))
    await on().create(namespace, [{ ...rest, spec }])
    const large = { name: 'large' }
    await isTaken(patched('deployments', ALLOWED['a setting']?.('deployments') ?? [], large))
    const says = 'Dormouse may change nothing in the spec but the replica count'
    await isRefused(patched('deployments', REFUSED['the image'] ?? [], large), says)
  })

  it('has expressions that the API server accepts, for each kind', async () => {
    const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies'
    for (const name of [`${own}-dormouse`, `${own}-dormouse-creations`]) {
      const checked = await eventually('the types to be checked', async () => {
        const { status } = await on().admin.expect('GET', `${policies}/${name}`)
        return status?.['typeChecking'] as { expressionWarnings?: unknown } | undefined
      })
      expect(checked.expressionWarnings).to.equal(undefined)
    }
  })
})

/** Kubernetes' own namespaces. */
const EXCLUDED = ['kube-system', 'kube-public']

const KEPT = [
  'ServiceAccount',
  'ClusterRole',
  'ClusterRoleBinding',
  'Role',
  'RoleBinding',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
]

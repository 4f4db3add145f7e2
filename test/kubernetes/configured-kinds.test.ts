import { expect } from 'chai'
import type { Call } from '../../src/kubernetes/api-calls.ts'
import { ConfiguredKinds, KindNotServed } from '../../src/kubernetes/configured-kinds.ts'
import { PRESETS } from '../../src/domain/sleeping/presets.ts'
import { podsFollowed } from '../../src/domain/workload/workload.ts'
import { sleepingBy, type KindSettings } from '../../src/domain/sleeping/configured.ts'
import { refusalOf } from '../../src/kubernetes/failures.ts'
import { trim } from '../../src/kubernetes/trim.ts'

const ROLLOUTS = 'rollouts.argoproj.io'
const GROUP = '/apis/argoproj.io'
const BASE = `${GROUP}/v1alpha1`
const DEFINITION = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${ROLLOUTS}`
const SERVED = {
  [GROUP]: { preferredVersion: { version: 'v1alpha1' } },
  [BASE]: {
    resources: [
      { name: 'rollouts', kind: 'Rollout' },
      { name: 'rollouts/scale', kind: 'Scale' },
    ],
  },
}

function kinds(answers: Readonly<Record<string, unknown>>, more: Partial<KindSettings> = {}) {
  const asked: string[] = []
  const send = async <T>({ path }: Call): Promise<T> => {
    asked.push(path)
    if (path in answers) return answers[path] as T
    throw refusalOf(`get ${path}`, path === DEFINITION ? 403 : 404, {})
  }
  return { asked, kinds: new ConfiguredKinds([{ resource: ROLLOUTS, ...more }], send) }
}

function defined(scale: object, minimum?: number) {
  const replicas = { type: 'integer', ...(minimum === undefined ? {} : { minimum }) }
  const openAPIV3Schema = { properties: { spec: { properties: { replicas } } } }
  const version = { name: 'v1alpha1', schema: { openAPIV3Schema }, subresources: { scale } }
  return { ...SERVED, [DEFINITION]: { spec: { versions: [version] } } }
}

async function refusal(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => expect.fail('it was not refused'),
    (error: Error) => error,
  )
}

describe('configured kinds', () => {
  it('are found where the cluster prefers them, and asked for once', async () => {
    const { kinds: found, asked } = kinds(SERVED)
    expect([...found.names]).to.deep.equal([[ROLLOUTS, undefined]])
    expect(await found.baseOf(ROLLOUTS)).to.equal(BASE)
    expect(await found.baseOf(ROLLOUTS)).to.equal(BASE)
    expect([...found.names]).to.deep.equal([[ROLLOUTS, 'Rollout']])
    expect(asked).to.deep.equal([GROUP, BASE, DEFINITION])
  })

  it('are found anew at each list', async () => {
    const { kinds: found, asked } = kinds(SERVED)
    const collection = found.collectionOf(ROLLOUTS)
    for (const _ of [1, 2]) await collection.discover?.(AbortSignal.timeout(1000))
    expect(collection.path).to.equal(`${BASE}/rollouts`)
    expect(asked).to.have.length(6)
  })

  const versions = (...names: string[]) => ({
    [GROUP]: { preferredVersion: { version: names[0] }, versions: names.map((version) => ({ version })) },
  })
  const at = (version: string, ...resources: string[]) => ({
    [`${GROUP}/${version}`]: { resources: resources.map((name) => ({ name, kind: 'Rollout' })) },
  })
  const SCALED = ['rollouts', 'rollouts/scale']

  for (const [case_, answers, base] of [
    ['an older version alone', { ...at('v2', 'others'), ...at('v1', ...SCALED) }, 'v1'],
    ['the preferred version alone', { ...at('v2', ...SCALED), ...at('v1', 'others') }, 'v2'],
    ['both, of which the preferred one counts', { ...at('v2', ...SCALED), ...at('v1', ...SCALED) }, 'v2'],
    ['both, with a scale at the older one', { ...at('v2', 'rollouts'), ...at('v1', ...SCALED) }, 'v1'],
    ['an older one, while another goes away', at('v1', ...SCALED), 'v1'],
  ] as const)
    it(`are found where their group serves them: ${case_}`, async () => {
      const { kinds: found } = kinds({ ...versions('v2', 'v1'), ...answers })
      expect(await found.baseOf(ROLLOUTS)).to.equal(`${GROUP}/${base}`)
    })

  it('are found at the version whose count is where the configuration says', async () => {
    const version = (name: string, specReplicasPath: string) => ({
      name,
      subresources: { scale: { specReplicasPath } },
    })
    const definition = { spec: { versions: [version('v2', '.spec.size'), version('v1', '.spec.replicas')] } }
    const served = { ...versions('v2', 'v1'), ...at('v2', ...SCALED), ...at('v1', ...SCALED) }
    const { kinds: found } = kinds({ ...served, [DEFINITION]: definition })
    expect(await found.baseOf(ROLLOUTS)).to.equal(`${GROUP}/v1`)
  })

  it('are looked for again where the cluster serves them no more', async () => {
    const answers: Record<string, unknown> = { ...versions('v1'), ...at('v1', ...SCALED) }
    const { kinds: found } = kinds(answers)
    const collection = found.collectionOf(ROLLOUTS, '/namespaces/shop')
    expect(await found.baseOf(ROLLOUTS)).to.equal(`${GROUP}/v1`)
    Object.assign(answers, versions('v2'), at('v2', ...SCALED), at('v1'))
    expect(await found.baseOf(ROLLOUTS, undefined, `${GROUP}/v2`)).to.equal(`${GROUP}/v1`)
    expect(await found.baseOf(ROLLOUTS, undefined, `${GROUP}/v1`)).to.equal(`${GROUP}/v2`)
    expect(collection.path).to.equal(`${GROUP}/v2/namespaces/shop/rollouts`)
  })

  it('that no version of their group serves are told apart', async () => {
    const nowhere = { ...versions('v2', 'v1'), ...at('v2', 'others'), ...at('v1', 'others') }
    expect(await refusal(kinds(nowhere).kinds.baseOf(ROLLOUTS))).to.be.instanceOf(KindNotServed)
    const unscaled = { ...versions('v2', 'v1'), ...at('v2', 'rollouts'), ...at('v1', 'others') }
    expect((await refusal(kinds(unscaled).kinds.baseOf(ROLLOUTS))).message).to.include('no scale subresource')
  })

  it('that the cluster does not serve are told apart', async () => {
    expect(await refusal(kinds({}).kinds.baseOf(ROLLOUTS))).to.be.instanceOf(KindNotServed)
    const without = { ...SERVED, [BASE]: { resources: [{ name: 'analysisruns', kind: 'AnalysisRun' }] } }
    expect(await refusal(kinds(without).kinds.baseOf(ROLLOUTS))).to.be.instanceOf(KindNotServed)
  })

  it('that are in no namespace are refused with the reason', async () => {
    const resources = SCALED.map((name) => ({ name, kind: 'Rollout', namespaced: false }))
    const { kinds: found } = kinds({ ...SERVED, [BASE]: { resources } })
    expect((await refusal(found.baseOf(ROLLOUTS))).message).to.include('its objects are in no namespace')
  })

  it('without a scale subresource, with another path or a least count are refused with the reason', async () => {
    for (const [answers, why] of [
      [unscalable, 'it has no scale subresource'],
      [defined({ specReplicasPath: '.spec.count' }), 'stands at .spec.count, not at .spec.replicas'],
      [defined({ specReplicasPath: '.spec.replicas' }, 1), 'allows no count below 1'],
    ] as const)
      expect((await refusal(kinds(answers).kinds.baseOf(ROLLOUTS))).message).to.include(why)
    const fitting = defined({ specReplicasPath: '.spec.replicas' }, 0)
    expect(await kinds(fitting).kinds.baseOf(ROLLOUTS)).to.equal(BASE)
  })

  const unscalable = { ...SERVED, [BASE]: { resources: [{ name: 'rollouts', kind: 'Rollout' }] } }
  const PAUSE = { path: '.spec.replicas', asleep: 'none', awake: 'some' }

  it('with a count whose place is given, or a switch, need no scale', async () => {
    for (const more of [{ specReplicasPath: '.spec.replicas' }, { switch: PAUSE }]) {
      const { kinds: found } = kinds(unscalable, more)
      expect(await found.baseOf(ROLLOUTS)).to.equal(BASE)
      expect(found.hasScale(ROLLOUTS)).to.equal(false)
    }
    const scaled = kinds(SERVED).kinds
    await scaled.baseOf(ROLLOUTS)
    expect(scaled.hasScale(ROLLOUTS)).to.equal(true)
    const switched = kinds(SERVED, { switch: PAUSE }).kinds
    await switched.baseOf(ROLLOUTS)
    expect(switched.hasScale(ROLLOUTS), 'its scale is not how it sleeps').to.equal(false)
  })

  it('whose definition lacks the field of their switch, or whose preset knows no such version, are refused with the reason', async () => {
    const definition = defined({ specReplicasPath: '.spec.replicas' }, 1)
    for (const [more, why] of [
      [{ switch: { ...PAUSE, path: '.spec.paused' } }, 'its definition has no .spec.paused at v1alpha1'],
      [{ versions: ['v1', 'v2'] }, 'its preset knows v1 and v2, and the cluster serves v1alpha1'],
    ] as const)
      expect((await refusal(kinds(definition, more).kinds.baseOf(ROLLOUTS))).message).to.include(why)
    // A least count is none of a switch's business, nor is a field of an annotation.
    for (const place of [{ path: '.spec.replicas' }, { annotation: 'example.com/off' }]) {
      const { kinds: found } = kinds(definition, { switch: { ...place, asleep: 'yes', awake: 'no' } })
      expect(await found.baseOf(ROLLOUTS)).to.equal(BASE)
    }
  })

  it('are asleep and awake once their own status says so', () => {
    const [settings] = PRESETS['cloudnative-pg'].kinds
    const kind = settings.resource
    const fields = new Map([[kind, sleepingBy(settings)] as const])
    const read = (hibernation: string | undefined, status: object) => {
      const annotations = hibernation && { 'cnpg.io/hibernation': hibernation }
      const metadata = { name: 'db', namespace: 'shop', uid: 'u', resourceVersion: '1', generation: 3 }
      const object = {
        apiVersion: 'postgresql.cnpg.io/v1',
        kind: 'Cluster',
        spec: { instances: 3 } as object,
        status,
      }
      const workload = trim(
        kind,
        { ...object, metadata: { ...metadata, ...(annotations && { annotations }) } },
        undefined,
        fields,
      )
      return [workload.replicas, workload.pods.existing, workload.pods.ready, podsFollowed(workload)]
    }
    const condition = (status: string) => ({ conditions: [{ type: 'cnpg.io/hibernation', status }] })
    expect(read(undefined, { readyInstances: 3 })).to.deep.equal([1, 1, 1, true])
    expect(read('off', { readyInstances: 2 }), 'one instance is not ready').to.deep.equal([1, 1, 0, false])
    expect(read('on', { readyInstances: 3 }), 'nothing happened yet').to.deep.equal([0, 1, 0, false])
    expect(read('on', { readyInstances: 0, ...condition('False') })).to.deep.equal([0, 1, 0, false])
    expect(read('on', { readyInstances: 0, ...condition('True') })).to.deep.equal([0, 0, 0, true])
    expect(read('off', condition('True')), 'it still hibernates').to.deep.equal([1, 0, 0, false])
  })

  it('have their count read where it stands, and 1 where nothing stands there', () => {
    const sleeping = sleepingBy({ resource: ROLLOUTS, specReplicasPath: '.spec.size.count' })
    const fields = new Map([[ROLLOUTS, sleeping] as const])
    const metadata = { name: 'web', namespace: 'shop', uid: 'u', resourceVersion: '1', generation: 3 }
    const object = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', metadata }
    const read = (spec: object, status?: object) =>
      trim(ROLLOUTS, { ...object, spec, ...(status && { status }) }, undefined, fields)
    expect(read({ size: { count: 4 } })).to.deep.include({
      replicas: 4,
      configured: {
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'Rollout',
        sleeping,
      },
    })
    expect(read({})).to.include({ replicas: 1 })
    const named = read({ workloadRef: { kind: 'Deployment', name: 'web' } })
    expect(named).to.have.nested.property('configured.scales', 'web')
    expect(read({ size: { count: 4 } }).pods, 'nobody counts them').to.deep.equal({
      existing: 0,
      ready: 4,
      observedGeneration: 3,
    })
    const status = { observedGeneration: '3', replicas: 4, readyReplicas: 2 }
    expect(read({}, status).pods).to.deep.equal({ existing: 4, ready: 2, observedGeneration: 3 })
  })
})

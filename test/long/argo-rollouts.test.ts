import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { ANNOTATION } from '../../src/domain/workload/workload.ts'
import { freePorts } from '../control-plane/ports.ts'
import { argoRollouts } from '../go-programs/argo-rollouts.ts'
import { keda } from '../go-programs/keda.ts'
import { annotationsOf, scaledObject, scaledObjectsIn } from '../keda/operator.ts'
import { RunningKeda } from '../keda/running.ts'
import { describeOnWith } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { print } from '../support/figures.ts'
import { manifest } from '../support/manifests.ts'
import { mayManage, mayNoLongerManage } from '../support/custom-kinds.ts'
import { define, RunningController, undefine } from '../support/running-controller.ts'
import { asleepNow } from '../support/schedules.ts'
import { served } from '../support/served.ts'
import { both } from '../suite/need.ts'

const GROUP = 'argoproj.io'
const ROLLOUTS = `rollouts.${GROUP}` as const
/** Milliseconds: longer than the controller takes to revert a change. */
const STAYS = 15_000
const PATIENCE = { timeout: 90_000 }

interface Rollout {
  readonly spec: { readonly replicas?: number; readonly template?: object }
  readonly status?: {
    readonly replicas?: number
    readonly readyReplicas?: number
    readonly currentStepIndex?: number
  }
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> }
}

const NEEDS = both(argoRollouts, keda('v2.21.0'))

describeOnWith(NEEDS, "Argo Rollouts' own controller", function (on, [built, builtKeda]) {
  this.timeout(240_000)
  const controller = new RunningController('the controller of Argo Rollouts')
  let definitions = ''
  let home = ''

  before('it runs, and Dormouse may manage Rollouts', async () => {
    definitions = built.definitions
    home = await mkdtemp(join(tmpdir(), 'dormouse-argo-'))
    await define(on(), definitions)
    await mayManage(on(), GROUP)
    const [metrics, health] = await freePorts(2)
    const args = [
      `--kubeconfig=${on().adminKubeconfig}`,
      '--leader-elect=false',
      `--metricsPort=${metrics}`,
      `--healthzPort=${health}`,
    ]
    const works = (log: readonly string[]) => log.some((line) => line.includes('Started controller'))
    const env = { HOME: home, POD_NAMESPACE: 'default' }
    await controller.start({ program: built.controller, args, env, works })
  })

  const here = served(on, { newWorkloadGrace: '0s', kinds: [{ resource: ROLLOUTS }] })

  afterEach('shows what it said of a failure', function () {
    if (this.currentTest?.state === 'failed')
      process.stderr.write(`${controller.log.slice(-15).join('\n')}\n`)
  })

  after('it is gone', async () => {
    await on().admin.send('DELETE', path())
    await eventually('the Rollouts to be gone', async () => {
      const { items } = await on().admin.expect('GET', path())
      return items?.length === 0
    })
    await controller.kill()
    await undefine(on(), definitions)
    await mayNoLongerManage(on(), GROUP)
    await rm(home, { recursive: true, force: true })
  })

  const path = (name = '') =>
    `/apis/${GROUP}/v1alpha1/namespaces/${here.namespace}/rollouts${name && `/${name}`}`
  const stored = async (name: string) => (await on().admin.expect('GET', path(name))) as unknown as Rollout
  const workload = (name: string) => here.workload(ROLLOUTS, name)

  /** Pods of a Rollout, of one revision if that is named. */
  async function pods(name: string, revision?: string): Promise<number> {
    const selector = `app=${name}${revision === undefined ? '' : `,revision=${revision}`}`
    const { items = [] } = await on().admin.expect(
      'GET',
      `/api/v1/namespaces/${here.namespace}/pods?labelSelector=${encodeURIComponent(selector)}`,
    )
    return items.filter(({ metadata }) => metadata?.['deletionTimestamp'] === undefined).length
  }

  async function isReady(name: string, count: number): Promise<boolean> {
    const { status } = await stored(name)
    return status?.readyReplicas === count && status.replicas === count
  }

  /** Creates a Rollout; resolves once its pods are ready and Dormouse manages it. */
  async function create(name: string, spec: object, count: number): Promise<void> {
    const head = { apiVersion: `${GROUP}/v1alpha1`, kind: 'Rollout', metadata: { name } }
    await eventually('Rollouts to be served', async () => {
      const { status } = await on().admin.send('POST', path(), {
        ...head,
        spec: { replicas: count, ...spec },
      })
      return status === 201
    })
    await eventually(`${name} to be ready`, () => isReady(name, count), PATIENCE)
    await eventually(
      'Dormouse to manage it',
      async () => (await workload(name).attempt('POST', 'enable')).status === 200,
      PATIENCE,
    )
  }

  /** The count is 0, and there are no pods, and so it stays. */
  async function sleepsOn(name: string): Promise<void> {
    await eventually('its pods to be gone', async () => (await pods(name)) === 0, PATIENCE)
    const until = performance.now() + STAYS
    while (performance.now() < until) {
      expect((await stored(name)).spec.replicas, 'while it sleeps').to.equal(0)
      expect(await pods(name), 'while it sleeps').to.equal(0)
      await sleep(500)
    }
  }

  const templated = (name: string, revision = '1') => {
    const { selector, template } = manifest('deployments', name, { revision }).spec as {
      selector: object
      template: object
    }
    return { selector, template }
  }

  it('lets a Rollout sleep, which stays asleep and wakes with its count', async () => {
    await create('web', { ...templated('web'), strategy: { canary: {} } }, 3)
    const asked = performance.now()
    expect(await workload('web').snooze('?wait=60s')).to.include({ is_snoozed: true, last_replicas: 3 })
    print([`a Rollout of 3 is asleep, its pods included, after ${Math.round(performance.now() - asked)} ms`])
    expect((await stored('web')).metadata.labels).to.include({ 'dormouse.dev/asleep': '3' })
    await sleepsOn('web')
    expect(await workload('web').wake('?wait=60s')).to.include({ is_snoozed: false, current_replicas: 3 })
    await eventually('it to be ready', () => isReady('web', 3), PATIENCE)
  })

  it('lets a canary sleep in the middle of its rollout, which goes on from its step', async () => {
    const strategy = { canary: { steps: [{ setWeight: 50 }, { pause: {} }] } }
    await create('canary', { ...templated('canary'), strategy }, 4)
    await on().admin.expect('PATCH', path('canary'), { spec: templated('canary', '2') })
    const isHalfway = async () =>
      (await isReady('canary', 4)) &&
      (await stored('canary')).status?.currentStepIndex === 1 &&
      (await pods('canary', '2')) === 2
    await eventually('it to be halfway', isHalfway, PATIENCE)
    const { template } = (await stored('canary')).spec
    expect(await workload('canary').snooze('?wait=60s')).to.include({ last_replicas: 4 })
    await sleepsOn('canary')
    await workload('canary').wake('?wait=60s')
    await eventually('its pods', () => isReady('canary', 4), PATIENCE)
    const { spec, status } = await stored('canary')
    expect(spec).to.deep.include({ replicas: 4, template })
    const [first, second] = [await pods('canary', '1'), await pods('canary', '2')]
    print([
      `a canary at 50% of 4 woke at step ${status?.currentStepIndex} with ${first} old and ${second} new pods`,
    ])
    expect(first + second).to.equal(4)
    await on().admin.expect('PATCH', `${path('canary')}/status`, { status: { promoteFull: true } })
    await eventually('it to be promoted', async () => (await pods('canary', '2')) === 4, PATIENCE)
    expect((await stored('canary')).spec.replicas).to.equal(4)
  })

  it("sleeps on beside KEDA's own operator, whose ScaledObject names the Rollout", async () => {
    const operator = new RunningKeda(on, here.namespace, builtKeda)
    await operator.start()
    try {
      operator.active = true
      await create('driven', { ...templated('driven'), strategy: { canary: {} } }, 3)
      const target = { apiVersion: `${GROUP}/v1alpha1`, kind: 'Rollout', name: 'driven' }
      const scaler = scaledObjectsIn(here.namespace, 'driven')
      await eventually('ScaledObjects to be served', async () => {
        const object = scaledObject('driven', operator.trigger, { target, min: 1 })
        return (await on().admin.send('POST', scaledObjectsIn(here.namespace), object)).status === 201
      })
      const isPaused = async () =>
        'autoscaling.keda.sh/paused-replicas' in annotationsOf(await on().admin.expect('GET', scaler))
      await workload('driven').snooze()
      await eventually('KEDA to be paused', isPaused, PATIENCE)
      await sleepsOn('driven')
      expect(await workload('driven').wake()).to.include({ current_replicas: 3 })
      await eventually('KEDA to go on', async () => !(await isPaused()))
      await eventually('it to run', async () => Number((await stored('driven')).spec.replicas) > 0, PATIENCE)
      await on().admin.expect('DELETE', scaler)
      await eventually('the ScaledObject to be gone', async () => {
        return (await on().admin.send('GET', scaler)).status === 404
      })
    } finally {
      await operator.stop()
    }
  })

  it('makes the pods of a Deployment that it names, which Dormouse leaves alone whatever its schedule', async () => {
    const annotations = { [ANNOTATION.enabled]: 'true', [ANNOTATION.schedule]: asleepNow() }
    const workloadRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'named' }
    const selector = { matchLabels: { app: 'named' } }
    const named = manifest('deployments', 'named', { replicas: 0 })
    await on().create(here.namespace, [named])
    await create('names', { workloadRef, selector, strategy: { canary: {} } }, 2)
    await on().admin.expect('PATCH', here.path('deployments', 'named'), { metadata: { annotations } })
    const deployment = here.workload('deployments', 'named')
    await eventually('the reason', async () =>
      (await deployment.status()).reason.includes('left alone: rollout'),
    )
    await workload('names').snooze('?wait=60s')
    await eventually('its pods to be gone', async () => (await pods('named')) === 0, PATIENCE)
    await workload('names').wake('?wait=60s')
    await eventually('its pods', async () => (await pods('named')) === 2, PATIENCE)
    const { spec, metadata } = await here.get('deployments', 'named')
    expect(spec.replicas).to.equal(0)
    expect(metadata.labels?.['dormouse.dev/asleep']).to.equal(undefined)
    expect(metadata.annotations?.[ANNOTATION.state]).to.equal(undefined)
    const { status, body } = await deployment.attempt('POST', 'wake')
    expect([status, body.error.code]).to.deep.equal([409, 'OWNED'])
  })
})

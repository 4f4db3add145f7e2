import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { ANNOTATION, HELD_LABEL, type Kind } from '../../src/domain/workload/workload.ts'
import { describeOn } from '../support/clusters.ts'
import { configuration, enforced } from '../support/enforced.ts'
import { eventually } from '../support/eventually.ts'
import { annotated, manifest } from '../support/manifests.ts'
import { createNamespace } from '../support/served.ts'

/** One of them; which kinds have a scale is in test/kubernetes/registration. */
const SCALED: readonly Kind[] = ['deployments']
/** Milliseconds until a pin is listed, by the promise of the documentation; and more, where a machine is busy. */
const PROMISED = 1000
const BUSY = 10_000

describeOn('while Dormouse is away', function (on) {
  this.timeout(180_000)
  const here = enforced(on)
  const elsewhere = `away-${randomBytes(4).toString('hex')}`
  const scale = (kind: Kind, name: string, namespace = here.namespace) =>
    on().kubectl.attempt(['scale', `${kind}/${name}`, '--replicas=4', '-n', namespace])
  const listed = async () => {
    const { webhooks } = await configuration(on())
    return JSON.stringify(webhooks.find(({ name }) => name === 'held-scale.dormouse.dev') ?? '')
  }
  const seconds: number[] = []

  before('some are pinned or overridden, others are not, and Dormouse goes', async () => {
    await createNamespace(on(), elsewhere)
    for (const kind of SCALED) {
      await on().create(elsewhere, [manifest(kind, 'theirs', { replicas: 2 })])
      await here.create(kind, `unmanaged-${kind}`, { replicas: 2 })
      await here.enabled(kind, `managed-${kind}`, { replicas: 2 })
      const pinned = await here.enabled(kind, `pinned-${kind}`, { replicas: 2 })
      await pinned.pin()
      const begun = performance.now()
      await eventually('the pin to be listed', async () =>
        (await listed()).includes(`'${kind}/${here.namespace}/pinned-${kind}'`),
      )
      seconds.push(performance.now() - begun)
      const overridden = await here.enabled(kind, `overridden-${kind}`, { replicas: 2 })
      await overridden.override('1h')
    }
    for (const kind of SCALED)
      await eventually('the override to be listed', async () =>
        (await listed()).includes(`'${kind}/${here.namespace}/overridden-${kind}'`),
      )
    await here.dormouse.kill()
    here.balancer.to([])
  })

  after(async () => {
    await on().admin.send('DELETE', `/api/v1/namespaces/${elsewhere}`)
  })

  it('a pin is listed within a second of its answer', () => {
    expect(Math.min(...seconds), 'the fastest').to.be.below(PROMISED)
    expect(Math.max(...seconds), 'the slowest').to.be.below(BUSY)
  })

  for (const kind of SCALED) {
    it(`scaling ${kind} that nothing holds goes on, in every namespace`, async () => {
      for (const [name, namespace] of [
        [`unmanaged-${kind}`, here.namespace],
        [`managed-${kind}`, here.namespace],
        ['theirs', elsewhere],
      ] as const) {
        const { code, stderr } = await scale(kind, name, namespace)
        expect(code, stderr).to.equal(0)
        const path = here.path(kind, name).replace(here.namespace, namespace)
        expect((await on().admin.expect('GET', path)).spec?.['replicas']).to.equal(4)
      }
    })

    it(`scaling ${kind} that is pinned or overridden fails, whichever way`, async () => {
      for (const name of [`pinned-${kind}`, `overridden-${kind}`]) {
        const byScale = await scale(kind, name)
        expect(byScale.code).to.not.equal(0)
        expect(byScale.stderr).to.include('failed calling webhook "held-scale.dormouse.dev"')
        const byPatch = await here.attempt('patch', kind, name, '-p', '{"spec":{"replicas":4}}')
        expect(byPatch.code).to.not.equal(0)
        expect(byPatch.stderr).to.include('failed calling webhook "held.dormouse.dev"')
        expect((await here.get(kind, name)).spec.replicas).to.equal(2)
      }
    })
  }

  it('nothing takes the marks of a hold away', async () => {
    for (const what of [
      `annotate --overwrite deployment/NAME ${ANNOTATION.state}={}`,
      `label deployment/NAME ${HELD_LABEL}-`,
    ]) {
      const args = what.replace('NAME', 'pinned-deployments').split(' ')
      const { code, stderr } = await here.attempt(...args)
      expect(code, what).to.not.equal(0)
      expect(stderr).to.include('failed calling webhook "held.dormouse.dev"')
    }
  })

  it('deploys go through, of what is held, too, and so does everything of what is not', async () => {
    for (const name of ['pinned', 'overridden', 'managed', 'unmanaged']) {
      const image = await here.attempt('set', 'image', `deployment/${name}-deployments`, 'app=app:2')
      expect(image.code, image.stderr).to.equal(0)
      const restart = await here.attempt('rollout', 'restart', `deployment/${name}-deployments`)
      expect(restart.code, restart.stderr).to.equal(0)
    }
    for (const sync of [
      manifest('deployments', 'managed-deployments', { replicas: 7 }),
      manifest('deployments', 'brought', { annotations: annotated() }),
    ]) {
      const applied = await here.withFile('apply', sync)
      expect(applied.code, applied.stderr).to.equal(0)
    }
  })
})

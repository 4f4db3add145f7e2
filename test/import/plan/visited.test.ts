import { expect } from 'chai'
import { InForce } from '../../../src/import/plan/in-force.ts'
import { annotationsIn, type ImportedObject } from '../../../src/import/plan/imported-object.ts'
import { planOfKubeElasti, planOfSablier } from '../../../src/import/plan/visited.ts'
import { NIGHT, verdicts } from '../import-cluster.ts'

const FORCE = new InForce()

function deployment(replicas: number, said: Readonly<Record<string, string>> = {}): ImportedObject {
  const { 'sablier.enable': enable, ...annotations } = said
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      namespace: 'shop',
      name: 'web',
      annotations,
      ...(enable !== undefined && { labels: { 'sablier.enable': enable } }),
    },
    spec: { replicas },
  }
}

describe('what Sablier wakes', () => {
  const planOf = (replicas: number, said: Readonly<Record<string, string>> = {}) =>
    planOfSablier([deployment(replicas, { 'sablier.enable': 'true', ...said })], NIGHT, FORCE)

  it('is adopted asleep, approximately: a visit or a person wakes it, and midnight puts it to sleep', () => {
    const [step, ...others] = planOf(0, { 'sablier.active.replicas': '2' })
    expect(others).to.deep.equal([])
    expect(step).to.include({ verdict: 'approximated', recorded: 2 })
    expect(annotationsIn(step?.patch)).to.deep.equal({
      'dormouse.dev/enabled': 'true',
      'dormouse.dev/schedule': '0:00-0:01',
      'dormouse.dev/timezone': 'UTC',
      'dormouse.dev/auto-wake': 'false',
      'dormouse.dev/wake-on-traffic': 'page',
      'dormouse.dev/request': 'adopt 2',
    })
    expect(step?.says.join('; ')).to.match(/goes by hours, so give it some.*strategy is blocking/)
  })

  it('has its running hours as hours, by name of its days, over midnight too', () => {
    const [step] = planOf(0, { 'sablier.running-hours': '22:00-06:00', 'sablier.running-days': 'Sun,Monday' })
    expect(annotationsIn(step?.patch)).to.include({
      'dormouse.dev/schedule': '0:00-6:00,Mon-Tue;22:00-24:00,Mon,Sun',
    })
    expect(annotationsIn(step?.patch)).to.not.have.property('dormouse.dev/auto-wake')
    expect(step?.says.join('; ')).to.include("by Sablier's own clock")
  })

  it('that is awake is in use: it stays so until midnight', () => {
    const [step] = planOf(2)
    expect(step).to.not.have.property('recorded')
    expect(annotationsIn(step?.patch)).to.include({ 'dormouse.dev/awake-until': '2026-11-25T00:00:00Z' })
  })

  it('at its idle count sleeps with that, and above it is awake', () => {
    const idle = { 'sablier.idle.replicas': '1', 'sablier.active.replicas': '3' }
    const [asleep] = planOf(1, idle)
    expect(asleep).to.include({ recorded: 3 })
    expect(annotationsIn(asleep?.patch)).to.include({ 'dormouse.dev/asleep-replicas': '1' })
    expect(planOf(3, idle)[0]).to.not.have.property('recorded')
  })

  it('without its label is left alone', () => {
    expect(planOfSablier([deployment(0, { 'sablier.group': 'a' })], NIGHT, FORCE)).to.deep.equal([])
  })
})

describe('what KubeElasti wakes', () => {
  const service = (spec: object): ImportedObject => ({
    apiVersion: 'elasti.truefoundry.com/v1alpha1',
    kind: 'ElastiService',
    metadata: { namespace: 'shop', name: 'web-elasti' },
    spec: { service: 'web', ...spec },
  })
  const target = (kind: string) => ({ scaleTargetRef: { apiVersion: 'apps/v1', kind, name: 'web' } })

  it('is adopted asleep with its least count, and each request wakes it; its ElastiService is told, and stays', () => {
    for (const kind of ['Deployment', 'deployments']) {
      const given = service({
        ...target(kind),
        minTargetReplicas: 2,
        enabledPeriod: { schedule: '0 9 * * 1-5' },
      })
      const steps = planOfKubeElasti([deployment(0), given], NIGHT, FORCE)
      expect(verdicts(steps)).to.deep.equal([
        'approximated deployment shop/web',
        'approximated elastiservice shop/web-elasti',
      ])
      expect(annotationsIn(steps[0]?.patch)).to.include({
        'dormouse.dev/wake-on-traffic': 'any',
        'dormouse.dev/request': 'adopt 2',
      })
      expect(steps[0]?.says.join('; ')).to.match(/triggers have no counterpart.*enabledPeriod/)
      expect(steps[1]).to.not.have.any.keys('patch', 'goes')
    }
  })

  it('that is not there is refused', () => {
    const steps = planOfKubeElasti([service(target('Deployment'))], NIGHT, FORCE)
    expect(verdicts(steps)).to.deep.equal(['refused elastiservice shop/web-elasti'])
  })
})

import { expect } from 'chai'
import { ANNOTATION, ASLEEP_LABEL } from '../../src/domain/workload/workload.ts'
import { describeOn } from '../support/clusters.ts'
import { enforced } from '../support/enforced.ts'
import { sumOf } from '../support/metrics-text.ts'
import { marksOf } from './agreement.ts'

const COUNT = 3

describeOn('a write of the status', function (on) {
  this.timeout(150_000)
  const here = enforced(on)

  const patch = (kind: string, name: string, body: object, ...args: string[]) =>
    here.attempt('patch', kind, name, '--type=merge', '-p', JSON.stringify(body), ...args)
  const status = (kind: string, name: string, body: object) => patch(kind, name, body, '--subresource=status')

  for (const kind of ['deployments', 'daemonsets'] as const) {
    it(`of ${kind} cannot remove a pin, forge a user, or change enabled and the kept count`, async () => {
      const name = `held-${kind}`
      const workload = await here.asleep(kind, name, { replicas: COUNT })
      await workload.pin()
      const before = await here.get(kind, name)
      const { [ANNOTATION.state]: state = '', [ANNOTATION.history]: history = '' } =
        before.metadata.annotations ?? {}
      const parsed = JSON.parse(state) as { counter: number }
      const forged = JSON.stringify({ ...parsed, counter: parsed.counter + 1, pin: undefined }).replaceAll(
        /"by":"[^"]*"/g,
        '"by":"k8s:cfo"',
      )
      const attempts = [
        { annotations: { [ANNOTATION.state]: forged } },
        { annotations: { [ANNOTATION.state]: null, [ANNOTATION.enabled]: null } },
        { annotations: { [ANNOTATION.state]: 'unreadable' } },
        { annotations: { [ANNOTATION.history]: history.replaceAll(/"[^"]*"/g, '"k8s:cfo"') } },
        { annotations: { [ANNOTATION.history]: null } },
        { annotations: { [ANNOTATION.enabled]: 'false' }, labels: { [ASLEEP_LABEL]: '99' } },
        { annotations: null, labels: null },
      ]
      for (const metadata of attempts) {
        const result = await status(kind, name, { metadata })
        expect(result.code, result.stderr).to.equal(0)
        const { metadata: after } = await here.get(kind, name)
        const ours = Object.fromEntries(
          Object.values(ANNOTATION).map((each) => [each, after.annotations?.[each]]),
        )
        expect(ours).to.include({
          [ANNOTATION.state]: state,
          [ANNOTATION.history]: history,
          [ANNOTATION.enabled]: 'true',
        })
        expect(after.labels?.[ASLEEP_LABEL]).to.equal(String(COUNT))
      }
      expect(await workload.status()).to.include({ pin_state: 'snoozed', enabled: true })
    })
  }

  it('of anything else is passed on, and is not reviewed', async () => {
    const workload = await here.enabled('deployments', 'observed', { replicas: 1 })
    await workload.pin()
    const reviews = async () =>
      sumOf(await here.dormouse.metrics(), 'dormouse_admission_reviews_total', { webhook: 'workloads' })
    const before = await reviews()
    for (let time = 0; time < 20; time += 1) {
      const metadata = { annotations: { 'example.com/seen': String(time) } }
      const result = await status('deployments', 'observed', {
        metadata,
        status: { unavailableReplicas: time },
      })
      expect(result.code, result.stderr).to.equal(0)
    }
    const { metadata } = await here.get('deployments', 'observed')
    expect(metadata.annotations?.['example.com/seen']).to.equal('19')
    expect((await reviews()) - before).to.equal(0)
    expect(marksOf(await here.get('deployments', 'observed')).state?.pin).to.include({ state: 'active' })
  })
})

import { setTimeout as pause } from 'node:timers/promises'
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { request } from 'undici'
import type { Dormouse } from '../support/dormouse.ts'
import { runDormouse } from '../support/dormouse.ts'
import { describeOn } from '../support/clusters.ts'
import { CONFIGURATION, enforced, LEASES } from '../support/enforced.ts'
import { eventually } from '../support/eventually.ts'
import { manifest } from '../support/manifests.ts'
import { ProgramClock } from '../support/program-clock.ts'
import { MINUTE } from '../support/rules.ts'
import { asleepNow } from '../support/schedules.ts'
import { createNamespace } from '../support/served.ts'

/** Milliseconds after which the policy has woken the workload and put it to sleep again. */
const TWO_EDGES = 9 * 60 * MINUTE
/** Milliseconds, longer than the Lease's duration in these tests. */
const WHILE = 6000
const KIND = 'deployments'

describeOn('a released cluster, and two replicas that still run', function (on) {
  this.timeout(240_000)
  const team = `team-${randomBytes(3).toString('hex')}`
  const clock = new ProgramClock()
  const policy = { name: 'dev', namespaces: { names: [team] }, enabled: true, schedule: asleepNow() }
  const here = enforced(on, { settings: { policies: [policy] }, preload: clock.preload })
  let other: Dormouse

  before('a policy puts a workload to sleep', async () => {
    ;({ dormouse: other } = await here.joined())
    await createNamespace(on(), team)
    await on().create(team, [manifest(KIND, 'web', { replicas: 2 })])
    await isAsleep()
  })

  after('the namespace is removed', async () => {
    await on().admin.send('DELETE', `/api/v1/namespaces/${team}`)
    clock.remove()
  })

  const replicas = () => [here.dormouse, other]
  const web = () => here.api.workload(KIND, team, 'web')
  const count = async () =>
    (await on().admin.expect('GET', `/apis/apps/v1/namespaces/${team}/${KIND}/web`)).spec?.replicas
  const isAsleep = () => eventually('the policy to put it to sleep', async () => (await count()) === 0)
  const release = async (...args: string[]) => {
    const config = { controller: { lease: { namespace: 'dormouse' } } }
    const all = ['release', ...args, '--kubeconfig', on().adminKubeconfig]
    const { code, stdout, stderr } = await runDormouse(all, { config })
    expect(code, stderr).to.equal(0)
    return stdout
  }
  const readyz = async ({ metricsUrl }: Dormouse) => (await request(`${metricsUrl}/readyz`)).body.text()
  const told = (dormouse: Dormouse) =>
    eventually(
      'a replica to know who released',
      async () => /^- (released by .+)$/m.exec(await readyz(dormouse))?.[1],
    )
  const nothingMoves = async () => {
    await pause(WHILE)
    expect(await count()).to.equal(2)
    expect((await on().admin.send('GET', CONFIGURATION)).status).to.equal(404)
  }

  it('stays as it is, past an edge and a restart of both, until the release is undone', async () => {
    const said = await release('--all', '--yes')
    expect(said.trimEnd().split('\n').at(-1)).to.match(
      /^The service still runs and stands by until `dormouse release --undo`/,
    )
    const { spec } = await on().admin.expect('GET', `${LEASES}/dormouse`)
    expect(spec)
      .to.have.property('holderIdentity')
      .that.matches(/^released by .+/)
    for (const each of replicas())
      expect(await told(each)).to.match(/^released by .+ since .+Z: nothing is automatic until `dormouse rel/)
    const { reason, reason_code, next_transition } = await web().status()
    expect(reason).to.match(/^released by .+ since .+Z: nothing is automatic$/)
    expect([reason_code, next_transition]).to.deep.equal(['released', null])
    await nothingMoves()
    clock.moveTo(TWO_EDGES)
    await nothingMoves()
    for (const each of replicas()) await each.terminate()
    for (const each of replicas()) await each.start()
    for (const each of replicas()) await told(each)
    await nothingMoves()

    expect(await release('--undo')).to.match(/^No longer released \(by .+ since .+Z\)/)
    await isAsleep()
    await here.inForce()
    for (const each of replicas())
      await eventually('a replica to know that it is undone', async () => (await readyz(each)) === 'ready\n')
  })
})

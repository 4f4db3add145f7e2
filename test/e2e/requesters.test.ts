import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mkdtemp, rm } from 'node:fs/promises'
import { expect } from 'chai'
import { REQUEST_ANNOTATION } from '../../src/domain/requests/annotation.ts'
import { ANNOTATION, HELD_LABEL } from '../../src/domain/workload/workload.ts'
import { describeOn } from '../support/clusters.ts'
import { enforced } from '../support/enforced.ts'
import { kubectlFor, type Kubectl, type KubectlResult } from '../support/kubectl.ts'
import { manifest } from '../support/manifests.ts'
import { createNamespace } from '../support/served.ts'
import { marksOf } from './agreement.ts'
import { warningsOf } from './verdicts.ts'
import { account, everyoneOf, grant, user, type Rule } from '../support/rights.ts'

const COUNT = 3

/** People with certificates, and service accounts, each with the rights that they have been granted and no more. */
describeOn('who asks by annotation', function (on) {
  this.timeout(120_000)
  const here = enforced(on)
  let directory: string
  const people: Record<'ann' | 'ben' | 'cat', Kubectl> = {} as never
  let robot: Kubectl

  before('people and their rights', async () => {
    directory = await mkdtemp(join(tmpdir(), 'requesters-'))
    const { cluster, namespace } = here
    await createNamespace(cluster, `${namespace}-other`)
    const rule = (resources: string[], verbs: string[]) => [{ apiGroups: ['apps'], resources, verbs }]
    const patches = rule(['deployments', 'daemonsets'], ['get', 'patch'])
    const given: [Parameters<typeof grant>[1], string, readonly Rule[] | string][] = [
      [everyoneOf('developers'), 'ann', 'edit'],
      [user('ben'), 'ben', patches],
      [user('cat'), 'cat', rule(['deployments/scale'], ['get', 'update'])],
      [account(namespace, 'robot'), 'robot', patches],
    ]
    for (const [subject, name, rights] of given)
      await grant(cluster.admin, subject, { name, rights, namespace })
    const kubeconfigs = {
      ann: await cluster.personKubeconfig?.('ann', 'developers'),
      ben: await cluster.personKubeconfig?.('ben'),
      cat: await cluster.personKubeconfig?.('cat'),
    }
    for (const name of ['ann', 'ben', 'cat'] as const)
      people[name] = kubectlFor(kubeconfigs[name] ?? '', join(directory, name))
    robot = cluster.kubectl
  })

  after(async () => {
    await rm(directory, { recursive: true, force: true })
    await on().admin.send('DELETE', `/api/v1/namespaces/${here.namespace}-other`)
  })

  const ask = (who: Kubectl, name: string, request: string, ...args: string[]): Promise<KubectlResult> =>
    who.attempt([...['annotate', name, `${REQUEST_ANNOTATION}=${request}`, '-n', here.namespace], ...args])
  const stateOf = async (name: string) => marksOf(await here.get('deployments', name)).state

  it('a person with a certificate and edit in the namespace: each request, with her name', async () => {
    await here.asleep('deployments', 'hers', { replicas: COUNT })
    const woken = await ask(people.ann, 'deploy/hers', 'wake 4h')
    expect(woken.code, woken.stderr).to.equal(0)
    expect(warningsOf(woken)[0]).to.match(
      /woken to 3 replicas for 4h, until \S+.*: awake by request of ann; sleeps/,
    )
    expect((await stateOf('hers'))?.history[0]?.by).to.equal('k8s:ann')
    for (const request of ['pin', 'unpin', 'override 2h', 'resume']) {
      const result = await ask(people.ann, 'deploy/hers', request)
      expect(result.code, `${request}: ${result.stderr}`).to.equal(0)
    }
    expect(await stateOf('hers')).to.not.have.any.keys('pin', 'override')
  })

  it('one who may only patch wakes, and neither pins nor unpins; of a DaemonSet that suffices, as in the API', async () => {
    const workload = await here.asleep('deployments', 'his', { replicas: COUNT })
    expect(await ask(people.ben, 'deploy/his', 'wake')).to.include({ code: 0 })
    for (const request of ['pin', 'override 2h']) {
      const { code, stderr } = await ask(people.ben, 'deploy/his', request)
      expect(code, request).to.equal(1)
      expect(stderr).to.match(
        /you may not update deployments.apps\/scale in the namespace \S+, which this needs/,
      )
    }
    await workload.pin()
    expect((await ask(people.ben, 'deploy/his', 'unpin')).stderr).to.match(/ask for a Role that allows it/)
    expect(await workload.status()).to.include({ pin_state: 'active' })
    await here.enabled('daemonsets', 'his')
    expect(await ask(people.ben, 'ds/his', 'pin')).to.include({ code: 0 })
  })

  it('one who may only patch repairs a state that cannot be read, unless its label says that it is held', async () => {
    const broken = (name: string, labels: Record<string, string>) => {
      const object = manifest('deployments', name, { annotations: { [ANNOTATION.state]: '{' } })
      return { ...object, metadata: { ...object.metadata, labels } }
    }
    // A running Dormouse would not let it be created so.
    await here.dormouse.terminate()
    const objects = [broken('torn', {}), broken('torn-pinned', { [HELD_LABEL]: 'pin' })]
    await here.cluster.create(here.namespace, objects)
    await here.dormouse.start()
    await here.inForce()
    const refused = await ask(people.ben, 'deploy/torn-pinned', 'repair')
    expect(refused.stderr).to.match(/you may not update deployments.apps\/scale/)
    expect((await here.get('deployments', 'torn-pinned')).metadata.labels).to.include({
      [HELD_LABEL]: 'pin',
    })
    for (const [who, name] of [
      [people.ben, 'torn'],
      [people.ann, 'torn-pinned'],
    ] as const) {
      const { code, stderr } = await ask(who, `deploy/${name}`, 'repair')
      expect(code, stderr).to.equal(0)
      expect((await stateOf(name))?.counter).to.be.above(0)
    }
  })

  it('one who may only update the scale is stopped by the cluster, and uses the API', async () => {
    await here.asleep('deployments', 'scaled', { replicas: COUNT })
    const { code, stderr } = await ask(people.cat, 'deploy/scaled', 'wake')
    expect(code).to.equal(1)
    expect(stderr).to.match(/User "cat" cannot (?:get|patch) resource "deployments"/)
    const grants = { verbs: ['get', 'update'], resources: ['deployments/scale'] }
    const token = await here.cluster.accountToken(here.namespace, 'scaling', grants)
    const { status } = await here.workload('deployments', 'scaled').attempt('POST', 'wake', { token })
    expect(status).to.equal(200)
  })

  it('a service account, by its whole name', async () => {
    await here.asleep('deployments', 'its', { replicas: COUNT })
    const user = `system:serviceaccount:${here.namespace}:robot`
    const result = await ask(robot, 'deploy/its', 'wake', `--as=${user}`)
    expect(result.code, result.stderr).to.equal(0)
    expect((await stateOf('its'))?.history[0]?.by).to.equal(`k8s:${user}`)
    const refused = await ask(robot, 'deploy/its', 'pin', `--as=${user}`)
    expect(refused.stderr).to.match(/you may not update deployments.apps\/scale/)
  })
})

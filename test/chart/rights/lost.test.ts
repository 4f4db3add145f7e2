import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { KINDS } from '../../../src/domain/workload/workload.ts'
import { describeOnWith } from '../../support/clusters.ts'
import { CONFIGURATION } from '../../support/enforced.ts'
import { eventually } from '../../support/eventually.ts'
import { undefine } from '../../keda/operator.ts'
import { helmIn, type Manifest } from '../helm.ts'
import { MATRIX } from '../matrix.ts'
import { grantsOf, isSpare, rulesOf, split, type Grant } from './grants.ts'
import { LOSSES } from './losses.ts'
import { Roles } from './roles.ts'
import { Stage } from './stage.ts'
import { helm } from '../../go-programs/go-program.ts'
import { describeWith } from '../../suite/need.ts'

/** The objects that the account's work needs, and its restrictions. */
const KEPT =
  /^(?:ServiceAccount|Secret|Lease|(?:Cluster)?Role(?:Binding)?|MutatingWebhookConfiguration|ValidatingAdmissionPolicy(?:Binding)?)$/

/** One kind with a count and one without stand for all: the same code asks for each, which `used.test.ts` sees. */
const ALIKE = /^(?:get|list|watch|patch) (?:statefulsets|daemonsets|replicasets)$/

/** Everybody's, and the wakers', which have an account of their own. */
const isOthers = (role: string) => /-(?:public|waker)$/.test(role)

describeWith(helm, "the rights of the chart's account", function (program) {
  this.timeout(180_000)
  const { template } = helmIn(program)
  const given = async (values: object) => {
    const objects = await template({ ...values, rbac: { aggregate: false } })
    const roles = objects.filter(({ kind }) => /^(?:Cluster)?Role$/.test(kind))
    return grantsOf(rulesOf(...roles.filter(({ metadata }) => !isOthers(metadata.name))))
  }

  it('are given once', async () => {
    for (const [name, values] of Object.entries(MATRIX)) {
      const grants = await given(values)
      expect(new Set(grants).size, `${name}: ${grants.join(', ')}`).to.equal(grants.length)
    }
  })

  it('have each an entry that says what fails without it, whatever the values', async () => {
    const all = new Set<Grant>()
    // Configured kinds need the same rights as the built-in ones.
    const { 'kinds of its own': _, ...others } = MATRIX
    for (const values of Object.values(others)) for (const grant of await given(values)) all.add(grant)
    expect([...all].filter((grant) => !isSpare(grant))).to.have.members(Object.keys(LOSSES))
  })
})

describeOnWith(helm, "the chart's account without one of its rights", function (on, program) {
  this.timeout(180_000)
  const namespace = `rights-${randomBytes(4).toString('hex')}`
  const release = { name: namespace, namespace }
  const account = `${namespace}-dormouse`
  const waker = `${account}-waker`
  const stage = new Stage(on, namespace, account, {
    waker: { enabled: true, service: waker, owner: waker, account: waker },
  })
  const { template } = helmIn(program)
  let roles: Roles
  let objects: Manifest[] = []

  before('what the chart brings is there, and workloads', async () => {
    await on().admin.expect('POST', '/api/v1/namespaces', { metadata: { name: namespace } })
    const values = { rbac: { aggregate: false }, config: { waker: { enabled: true } } }
    const rendered = await template(values, release)
    objects = rendered.filter(
      ({ kind, metadata: { name } }) => KEPT.test(kind) && !(kind === 'ServiceAccount' && name === waker),
    )
    await on().admin.send('DELETE', CONFIGURATION)
    expect((await on().kubectl.withFile('create', objects)).stderr).to.equal('')
    roles = new Roles(on, objects, account)
    await stage.setUp()
    await stage.withTraffic(waker)
  })

  after(async () => {
    await stage.tearDown()
    await undefine(on())
    await on().kubectl.withFile('delete', objects, '--ignore-not-found')
    await on().admin.expect('DELETE', `/api/v1/namespaces/${namespace}`)
  })

  afterEach(() => stage.stop())

  it('would miss none if it had all', async () => {
    await stage.start()
    for (const kind of KINDS) await (await stage.workload(kind)).wake()
    expect(await stage.readiness()).to.equal('ready\n')
    await eventually('the webhook to be tied to the namespace', async () => {
      const { metadata } = await on().admin.expect('GET', CONFIGURATION)
      return metadata?.['ownerReferences'] !== undefined
    })
    expect(stage.log.filter((line) => /cannot \w+ resource/.test(line))).to.deep.equal([])
  })

  for (const [grant, { fails, prepare, told }] of Object.entries(LOSSES)) {
    if (ALIKE.test(grant)) continue
    it(`${grant}: ${fails}, and it is said that this right is missing`, async () => {
      const [verb, resource] = split(grant as Grant)
      const missing = `cannot ${verb} resource "${resource}"`
      await prepare?.(stage)
      await roles.lacking(grant as Grant, async () => {
        await stage.start()
        expect(await told(stage, missing)).to.include(missing)
        await stage.stop()
      })
    })
  }
})

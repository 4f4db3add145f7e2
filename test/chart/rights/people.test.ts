import { expect } from 'chai'
import { factsOf } from '../../../src/domain/kinds.ts'
import { isKind, KINDS, SCALABLE_KINDS, type Kind } from '../../../src/domain/workload/workload.ts'
import type { ApiAnswer, Method } from '../../support/api-client.ts'
import { describeOnWith } from '../../support/clusters.ts'
import { eventually } from '../../support/eventually.ts'
import { manifest } from '../../support/manifests.ts'
import { served } from '../../support/served.ts'
import { helmIn, only } from '../helm.ts'
import { grantsOf, rulesOf, split, without, type Grant } from './grants.ts'
import { account, grant, isAllowed, type Rule } from '../../support/rights.ts'
import { helm } from '../../go-programs/go-program.ts'

/** The request that asks the cluster for exactly this right, and changes nothing. */
function requestFor(grant: Grant): readonly [Method, Kind, string] {
  const [verb, resource] = split(grant)
  const [kind = '', subresource] = resource.split('/')
  if (!isKind(kind)) throw new TypeError(`${kind} is no kind of ours`)
  const known: Readonly<Record<string, readonly [Method, Kind, string]>> = {
    get: ['GET', kind, `/${kind}`],
    list: ['GET', kind, ''],
    'update/scale': ['POST', kind, `/${kind}/pin?dryRun=true`],
    patch: ['POST', kind, `/${kind}/enable?dryRun=true`],
  }
  const request = known[subresource === undefined ? verb : `${verb}/${subresource}`]
  if (!request) throw new TypeError(`no request of the API needs ${grant}`)
  return request
}

describeOnWith(helm, "the chart's roles for people", function (on, program) {
  this.timeout(180_000)
  const here = served(on)
  const { template } = helmIn(program)
  const roles = new Map<string, readonly Rule[]>()

  before('the rules of the roles, and a workload of each kind', async () => {
    const objects = await template()
    for (const role of ['viewer', 'operator'])
      roles.set(role, rulesOf(only(objects, 'ClusterRole', `dormouse-${role}`)))
    await on().create(
      here.namespace,
      KINDS.map((kind) => manifest(kind, kind)),
    )
    for (const kind of KINDS) await here.workload(kind, kind).enable()
  })

  it('give all that the API asks for, and the viewer no more than to look', () => {
    const looks = KINDS.flatMap((kind): Grant[] => [`get ${kind}`, `list ${kind}`])
    const acts = KINDS.map((kind): Grant => `patch ${kind}`)
    const scales = SCALABLE_KINDS.map((kind): Grant => `update ${kind}/scale`)
    expect(grantsOf(roles.get('viewer') ?? [])).to.have.members(looks)
    expect(grantsOf(roles.get('operator') ?? [])).to.have.members([...looks, ...acts, ...scales])
  })

  for (const role of ['viewer', 'operator'])
    it(`give the ${role} no right that the API does not ask for, each of them by itself`, async () => {
      const rules = roles.get(role) ?? []
      const grants = grantsOf(rules)
      const whole = await personWith(role, rules)
      for (const [at, grant] of grants.entries()) {
        const allowed = await ask(grant, whole)
        expect(allowed.status, `${grant}: ${allowed.text}`).to.equal(200)
        const fewer = await personWith(`${role}-${at}`, without(rules, grant), grants[at === 0 ? 1 : 0])
        const refused = await ask(grant, fewer)
        expect(refused.status, grant).to.equal(403)
        const [verb, resource] = split(grant)
        const [kind, subresource] = resource.split('/')
        const right = `${verb} ${kind}.${groupOf(kind)}${subresource === undefined ? '' : `/${subresource}`}`
        expect(refused.body.error.message).to.include(`may not ${right} in the namespace ${here.namespace}`)
      }
    })

  function ask(grant: Grant, token: string): Promise<ApiAnswer> {
    const [method, kind, path] = requestFor(grant)
    return here.api.call(method, `/namespaces/${here.namespace}/${kind}${path}`, { token })
  }

  /** The token of an account with these rules, once the cluster knows that it may do `known`, one of them. */
  async function personWith(name: string, rules: readonly Rule[], known?: Grant): Promise<string> {
    const { namespace } = here
    const { admin } = on()
    await admin.expect('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name } })
    await grant(admin, account(namespace, name), { name, rights: rules, namespace })
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`
    const { status } = await admin.expect('POST', path, { spec: { audiences: ['dormouse'] } })
    const token = String(status?.['token'])
    const [verb, what] = split(known ?? grantsOf(rules)[0] ?? ' ')
    const [resource = '', subresource] = what.split('/')
    const access = { namespace, group: groupOf(resource), verb, resource, subresource }
    // Asked of the cluster itself: Dormouse would keep its answer for 10 s.
    await eventually(`${name} to be known`, () =>
      isAllowed(admin, `system:serviceaccount:${namespace}:${name}`, access),
    )
    return token
  }
})

/** The API group of a built-in kind. */
function groupOf(kind = ''): string {
  return isKind(kind) ? factsOf(kind).group : ''
}

import type { Cluster } from '../../support/cluster.ts'
import { eventually } from '../../support/eventually.ts'
import { only, type Manifest } from '../helm.ts'
import { gives, rulesOf, split, without, type Grant } from './grants.ts'
import { isAllowed, type Rule } from '../../support/rights.ts'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'

/** The roles of the chart's account, as they are in the cluster. */
export class Roles {
  readonly #on: () => Cluster
  readonly #roles: readonly Manifest[]
  readonly #user: string

  /** `objects`: the release's, which the cluster has. */
  constructor(on: () => Cluster, objects: readonly Manifest[], account: string) {
    const { namespace } = only(objects, 'ServiceAccount').metadata
    this.#on = on
    this.#roles = [
      only(objects, 'ClusterRole', account),
      only(objects, 'Role', account),
      only(objects, 'Role', `${account}-publisher`),
      only(objects, 'Role', `${account}-release`),
    ]
    this.#user = `system:serviceaccount:${namespace}:${account}`
  }

  /** Takes one right away while `work` runs; with `patch` goes `update`, by which writes at rest would succeed. */
  async lacking<T>(grant: Grant, work: () => Promise<T>): Promise<T> {
    const role = this.#roles.find((each) => rulesOf(each).some((rule) => gives(rule, grant)))
    if (!role) throw new TypeError(`no role gives ${grant}`)
    const [verb, resource] = split(grant)
    const fewer = without(rulesOf(role), grant)
    await this.#set(role, verb === 'patch' ? without(fewer, `update ${resource}`) : fewer)
    await this.#until(role, grant, false)
    try {
      return await work()
    } finally {
      await this.#set(role, rulesOf(role))
      await this.#until(role, grant, true)
    }
  }

  async #set({ kind, metadata: { name, namespace } }: Manifest, rules: readonly Rule[]): Promise<void> {
    const collection = kind === 'Role' ? `namespaces/${namespace}/roles` : 'clusterroles'
    await this.#on().admin.expect('PATCH', `${RBAC}/${collection}/${name}`, { rules })
  }

  /** The authorizer learns of a changed role by a watch of its own. */
  async #until(role: Manifest, grant: Grant, allowed: boolean): Promise<void> {
    const [verb, resource] = split(grant)
    const { apiGroups: [group = ''] = [], resourceNames } =
      rulesOf(role).find((rule) => gives(rule, grant)) ?? {}
    const [plural = '', subresource] = resource.split('/')
    const access = {
      verb,
      group,
      resource: plural,
      subresource,
      name: resourceNames?.[0],
      namespace: role.metadata.namespace,
    }
    await eventually(`${grant} to be ${allowed ? 'allowed' : 'refused'}`, async () => {
      return (await isAllowed(this.#on().admin, this.#user, access)) === allowed
    })
  }
}

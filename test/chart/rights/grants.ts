import { KINDS } from '../../../src/domain/workload/workload.ts'
import type { Manifest } from '../helm.ts'
import type { Rule } from '../../support/rights.ts'

/** One verb on one resource, as the audit log has it: `list deployments`. */
export type Grant = `${string} ${string}`

/**
 * Without `update` of a kind each of its writes is a patch, which needs no word of warning. OpenShift alone asks for
 * `endpointslices/restricted`.
 */
export function isSpare(grant: Grant): boolean {
  return grant === 'create endpointslices/restricted' || KINDS.some((kind) => grant === `update ${kind}`)
}

export function rulesOf(...roles: readonly Manifest[]): Rule[] {
  return roles.flatMap(({ rules }) => rules as Rule[])
}

/** Each verb on each resource that the rules give, as often as they give it. */
export function grantsOf(rules: readonly Rule[]): Grant[] {
  return rules.flatMap(({ resources, verbs }) =>
    resources.flatMap((resource) => verbs.map((verb): Grant => `${verb} ${resource}`)),
  )
}

/** Whether a rule gives this. */
export function gives({ resources, verbs }: Rule, grant: Grant): boolean {
  const [verb, resource] = split(grant)
  return resources.includes(resource) && verbs.includes(verb)
}

/** The rules that give everything but `grant`. */
export function without(rules: readonly Rule[], grant: Grant): Rule[] {
  const [verb, resource] = split(grant)
  return rules.flatMap((rule) => {
    const { resources, verbs } = rule
    if (!gives(rule, grant)) return [rule]
    return [
      { ...rule, resources: resources.filter((each) => each !== resource) },
      { ...rule, resources: [resource], verbs: verbs.filter((each) => each !== verb) },
    ].filter((left) => left.resources.length > 0 && left.verbs.length > 0)
  })
}

/** Verb and resource. */
export function split(grant: Grant): [string, string] {
  const [verb = '', resource = ''] = grant.split(' ')
  return [verb, resource]
}

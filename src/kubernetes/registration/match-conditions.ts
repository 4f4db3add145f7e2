import { ANNOTATION, ASLEEP_LABEL, FIELD_MANAGER } from '../../domain/workload.ts'

/** A condition of `matchConditions`: the API server calls the webhook only if all are true. */
interface MatchCondition {
  readonly name: string
  /** CEL. */
  readonly expression: string
}

interface Accounts {
  readonly exemptUsers: readonly string[]
  readonly ownUser?: string | undefined
}

/** Leaves out exempt users, and Dormouse's own user when it writes under our field manager. */
export function conditionsOfAccounts({ exemptUsers, ownUser }: Accounts): MatchCondition[] {
  const names = [...new Set(exemptUsers)].map(quoted).join(', ')
  const conditions = [{ name: 'not-exempt', expression: `!(request.userInfo.username in [${names}])` }]
  if (ownUser === undefined) return conditions
  const own = [
    `request.userInfo.username == ${quoted(ownUser)}`,
    `has(request.options)`,
    `has(request.options.fieldManager)`,
    `request.options.fieldManager == ${quoted(FIELD_MANAGER)}`,
  ]
  return [...conditions, { name: 'not-by-dormouse', expression: `!(${own.join(' && ')})` }]
}

export const HAS_OUR_ANNOTATIONS: MatchCondition = {
  name: 'has-our-annotations',
  expression: ['object', 'oldObject']
    .map(
      (side) =>
        `(${side} != null && has(${side}.metadata.annotations) && ` +
        `${side}.metadata.annotations.exists(key, key.startsWith('dormouse.dev/')))`,
    )
    .join(' || '),
}

const HAS_CONTROLLER = (side: string) =>
  `(has(${side}.metadata.ownerReferences) && ` +
  `${side}.metadata.ownerReferences.exists(owner, has(owner.controller) && owner.controller))`

/**
 * The Deployment controller copies our annotations to the ReplicaSets that it owns. Judged by the old object: a
 * ReplicaSet that only now gains an owner is reviewed.
 */
export const NO_CONTROLLER: MatchCondition = {
  name: 'has-no-controller',
  expression:
    `!(request.resource.resource == 'replicasets' && ` +
    `(oldObject != null ? ${HAS_CONTROLLER('oldObject')} : ${HAS_CONTROLLER('object')}))`,
}

/** Of the many status updates, only those that change our annotations or label, or give a ReplicaSet an owner. */
export const STATUS_CHANGES_OURS: MatchCondition = {
  name: 'status-changes-ours',
  expression:
    `!has(request.subResource) || request.subResource != 'status' || ` +
    `[${Object.values(ANNOTATION).map(quoted).join(', ')}].exists(key, ` +
    `object.metadata.?annotations[?key] != oldObject.metadata.?annotations[?key]) || ` +
    `object.metadata.?labels[?${quoted(ASLEEP_LABEL)}] != oldObject.metadata.?labels[?${quoted(ASLEEP_LABEL)}] || ` +
    `(request.resource.resource == 'replicasets' && ${HAS_CONTROLLER('object')})`,
}

/** A string literal of CEL. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`
}

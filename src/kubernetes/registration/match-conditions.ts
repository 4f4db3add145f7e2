import { factsOf } from '../../domain/kinds.ts'
import { namesIn } from '../../domain/json-pointer.ts'
import { formOf } from '../../domain/sleeping/forms.ts'
import { ANNOTATION, FIELD_MANAGER, HELD_LABEL, KINDS, OWN_LABELS } from '../../domain/workload/workload.ts'

/** A condition of `matchConditions`: the API server calls the webhook only if all are true. */
export interface MatchCondition {
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

const HAS_OURS = (side: string, map: 'annotations' | 'labels') =>
  `(has(${side}.metadata.${map}) && ${side}.metadata.${map}.exists(key, key.startsWith('dormouse.dev/')))`
const HAS_OUR_ANNOTATIONS = (side: string) => HAS_OURS(side, 'annotations')

/** Labels of any name: who writes `dormouse.dev/enabled` as a label is to be told. */
export const HAS_OUR_MARKS: MatchCondition = {
  name: 'has-our-marks',
  expression: ['object', 'oldObject']
    .map((side) => `(${side} != null && (${HAS_OUR_ANNOTATIONS(side)} || ${HAS_OURS(side, 'labels')}))`)
    .join(' || '),
}

/** For Namespaces: removing settings needs no check. Other labels may move it into a policy, or out of one. */
export const MAY_MOVE_WORKLOADS: MatchCondition = {
  name: 'has-our-annotations-or-other-labels',
  expression:
    `${HAS_OUR_ANNOTATIONS('object')} || ` +
    `(oldObject != null && ${differ((side) => `${side}.metadata.?labels`)})`,
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

const IS_STATUS = `(has(request.subResource) && request.subResource == 'status')`

const MARKS_DIFFER = [
  ...Object.values(ANNOTATION).map((key) =>
    differ((side) => `${side}.metadata.?annotations[?${quoted(key)}]`),
  ),
  ...OWN_LABELS.map((key) => differ((side) => label(side, key))),
].join(' || ')

const STATE_DIFFERS = [
  ...[ANNOTATION.state, ANNOTATION.history].map((key) =>
    differ((side) => `${side}.metadata.?annotations[?${quoted(key)}]`),
  ),
  ...OWN_LABELS.map((key) => differ((side) => label(side, key))),
].join(' || ')

/**
 * Among updates, those that change what Dormouse alone writes, which of a write of the status is every mark: the webhook
 * `marks` denies those that it cannot read. One that gives a ReplicaSet a controller would end a hold.
 */
export const CHANGES_STATE: MatchCondition = {
  name: 'changes-state',
  expression:
    `oldObject != null && (${IS_STATUS} ` +
    `? (${MARKS_DIFFER} || (request.resource.resource == 'replicasets' && ${HAS_CONTROLLER('object')})) ` +
    `: (${STATE_DIFFERS}))`,
}

/** The exact complement. */
export const KEEPS_STATE: MatchCondition = {
  name: 'keeps-state',
  expression: `!(${CHANGES_STATE.expression})`,
}

/** For our own kinds alone: a configured kind's path may lead through a list, whose elements have no names. */
const KEY_MOVED = KINDS.flatMap((kind) => {
  const { entry } = formOf({ kind })
  if (entry === undefined) return []
  const moved = differ((side) => `${side}${pathOf(factsOf(kind).field)}[?${quoted(entry)}]`)
  return [`(request.resource.resource == ${quoted(kind)} && ${moved})`]
})

/**
 * The updates that would break a pin or an override. The webhook `held` rejects them while we do not answer, so it must
 * match nothing else. No iteration, and optionals for every field that may be absent, because an error rejects as well.
 * A status write may carry an old spec, which the API server restores after admission.
 */
function breaksHold(counts: readonly string[]): string {
  const paths = new Set([
    ...KINDS.filter((kind) => formOf({ kind }).entry === undefined).map((kind) => factsOf(kind).field),
    ...counts,
  ])
  const moved = [...[...paths].map((path) => differ((side) => `${side}${pathOf(path)}`)), ...KEY_MOVED].join(
    ' || ',
  )
  const owned = differ((side) => `${side}.metadata.?ownerReferences`)
  return (
    `${label('oldObject', HELD_LABEL)}.hasValue() && ` +
    `(${MARKS_DIFFER} || ${owned} || (!${IS_STATUS} && (${moved})))`
  )
}

/** `counts`: JSON pointers to the counts of the configured kinds. */
export function heldCondition(counts: readonly string[]): MatchCondition {
  return { name: 'breaks-hold', expression: breaksHold(counts) }
}

/** The exact complement, so that each write meets one of the two webhooks. */
export function unheldCondition(counts: readonly string[]): MatchCondition {
  return { name: 'breaks-no-hold', expression: `oldObject == null || !(${breaksHold(counts)})` }
}

function label(side: string, key: string): string {
  return `${side}.metadata.?labels[?${quoted(key)}]`
}

function differ(of: (side: string) => string): string {
  return `${of('object')} != ${of('oldObject')}`
}

/** A JSON pointer as CEL: `[?'spec'][?'replicas']`. */
function pathOf(pointer: string): string {
  return namesIn(pointer)
    .map((name) => `[?${quoted(name)}]`)
    .join('')
}

/** A string literal of CEL. */
export function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`
}

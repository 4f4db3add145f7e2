import { ANNOTATION_NAMES, OWN_LABELS, type AnnotationName, type Workload } from './workload.ts'

/** The annotations of ours in which two copies of a workload differ. */
export function differingAnnotations(a: Workload, b: Workload): AnnotationName[] {
  return ANNOTATION_NAMES.filter((name) => a.annotations[name] !== b.annotations[name])
}

/** Whether a workload has an annotation or a label of ours. */
export function hasMarks({ annotations, labels }: Workload): boolean {
  return Object.keys(annotations).length > 0 || OWN_LABELS.some((key) => labels?.[key] !== undefined)
}

/** Whether two copies have the same annotations and labels of ours and the same key. */
export function sameMarks(a: Workload, b: Workload): boolean {
  return differingAnnotations(a, b).length === 0 && sameLabels(a, b) && a.snoozeKey === b.snoozeKey
}

/** Whether two copies have the same labels of ours. */
export function sameLabels(a: Workload, b: Workload): boolean {
  return OWN_LABELS.every((key) => a.labels?.[key] === b.labels?.[key])
}

/**
 * Whether two copies of a workload read the same: most changes are of the status, and alter nothing here. A decision
 * also depends on who set the count, on the owner, on the labels, by which policies choose, and on whether the pods
 * followed.
 */
export function readsTheSame(a: Workload, b: Workload): boolean {
  return (
    sameMarks(a, b) &&
    a.replicas === b.replicas &&
    a.deleting === b.deleting &&
    a.deletesVolumes === b.deletesVolumes &&
    a.keptByOther === b.keptByOther &&
    a.formerRevision === b.formerRevision &&
    a.owner?.name === b.owner?.name &&
    sameTexts(a.labels, b.labels)
  )
}

function sameTexts(a: Workload['labels'], b: Workload['labels']): boolean {
  if (a === b) return true
  const entries = Object.entries(a ?? {})
  return entries.length === Object.keys(b ?? {}).length && entries.every(([key, text]) => b?.[key] === text)
}

/** The workload without a request; without one it is returned unchanged. */
export function withoutRequest(workload: Workload): Workload {
  if (workload.annotations.request === undefined) return workload
  const { request: _, ...annotations } = workload.annotations
  return { ...workload, annotations }
}

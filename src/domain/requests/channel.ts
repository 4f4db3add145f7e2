import { pathOf, type WorkloadKey } from '../workload/workload.ts'

/** By what a request came: the API or the annotation. It says what answers tell people to send. */
export interface Channel {
  readonly toEnable: (workload: WorkloadKey) => string
  readonly toUnpin: (workload: WorkloadKey) => string
  /** What puts to sleep in spite of a risk or a backoff. */
  readonly toForce: string
  readonly toKeepAwake: string
  /** Of an annotation: its text, by which it is recognised when it comes again. */
  readonly text?: string
}

export const BY_API: Channel = {
  toEnable: (workload) => `POST ${pathOf(workload)}/enable`,
  toUnpin: (workload) => `DELETE ${pathOf(workload)}/pin`,
  toForce: 'add ?force=true',
  toKeepAwake: 'add ?for=2h',
}

/** A request that an annotation brought, in the review of its write: the status cannot be written with it. */
export function byAnnotation(text: string): Channel & { readonly text: string } {
  return {
    toEnable: () => 'annotate it with dormouse.dev/enabled=true',
    toUnpin: () => "ask for 'unpin'",
    toForce: "ask for 'force-snooze'",
    toKeepAwake: "ask for 'wake 2h'",
    text,
  }
}

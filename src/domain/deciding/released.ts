/** Somebody released the cluster from Dormouse: nobody leads until that is undone. */
export interface Released {
  readonly by: string
  /** ISO 8601 UTC; undefined: it was edited away. */
  readonly since?: string | undefined
}

/** `released by ana since 2026-03-02T05:37:00Z: nothing is automatic`. */
export function releasedText({ by, since }: Released): string {
  return `released by ${by}${since === undefined ? '' : ` since ${since}`}: nothing is automatic`
}

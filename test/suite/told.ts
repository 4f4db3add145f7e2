/** The messages of a process that runs tests to the one that shows their progress. */
export type Told =
  | { readonly event: 'begun'; readonly tests: number }
  | { readonly event: 'passed' }
  | { readonly event: 'skipped'; readonly title: string }
  | { readonly event: 'failed'; readonly title: string; readonly file: string; readonly text: string }
  | {
      readonly event: 'ended'
      /** Milliseconds by file. */
      readonly spent: Readonly<Record<string, number>>
      readonly leftOut: Readonly<Record<string, readonly string[]>>
    }
  /** Lines for the end of the run, such as the version of the cluster. */
  | { readonly event: 'closing'; readonly lines: readonly string[] }

/** Reads an iCalendar file: the midnights, as clocks in UTC show them, of the dates that its all-day events cover. */
export interface Expander {
  /**
   * The dates from `from` to before `to`. `signal` ends it early.
   * @throws Error for an invalid text; the signal's reason
   */
  expand(text: string, from: number, to: number, signal: AbortSignal): Promise<readonly number[]>
}

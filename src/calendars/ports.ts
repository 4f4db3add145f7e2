/** Reads an iCalendar file: the midnights, as clocks in UTC show them, of the dates that its all-day events cover. */
export interface Expander {
  /**
   * Of the dates from `from` to before `to`.
   * @throws Error that says what is wrong with the text
   */
  expand(text: string, from: number, to: number): Promise<readonly number[]>
}

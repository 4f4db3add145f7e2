/**
 * A module for `Dormouse.start` to load first, with which Dormouse's clock reaches `edge` in `lead` milliseconds from
 * now: schedules change at full minutes, and nobody wants to wait for them.
 */
export function clockBefore(edge: number, lead: number): string {
  const ahead = edge - lead - Date.now()
  const source = `const real = Date.now; Date.now = () => real() + ${ahead}`
  return `data:text/javascript,${encodeURIComponent(source)}`
}

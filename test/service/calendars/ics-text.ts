let number = 0

/** An all-day event: `allDay('20261224', '20261227')` is three days. More lines may follow; one of them may be its UID. */
export function allDay(start: string, end?: string, ...lines: readonly string[]): string {
  const uid = lines.some((line) => line.startsWith('UID:')) ? [] : [`UID:${++number}@test`]
  return [
    'BEGIN:VEVENT',
    ...uid,
    `DTSTART;VALUE=DATE:${start}`,
    ...(end === undefined ? [] : [`DTEND;VALUE=DATE:${end}`]),
    ...lines,
    'END:VEVENT',
  ].join('\r\n')
}

export function icsOf(...components: readonly string[]): string {
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//EN', ...components, 'END:VCALENDAR', ''].join(
    '\r\n',
  )
}

import { expect } from 'chai'
import { writeFile } from 'node:fs/promises'
import { registerExplain } from '../../../src/service/cli/explain.ts'
import { allDay, icsOf } from '../calendars/ics-text.ts'
import { call } from './terminal.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const explain = (...args: string[]) => call(registerExplain, ['explain', ...args])

describe('dormouse explain', () => {
  const at = temporaryFolder()

  it('prints the canonical form, the state and the next edges in local time and UTC', async () => {
    const { code, out } = await explain('08:00-18:00,mon-fri', '--timezone', 'Europe/Berlin', '--count', '3')
    expect(code).to.equal(0)
    expect(out).to.equal(
      [
        'schedule  8:00-18:00,Mon-Fri',
        'timezone  Europe/Berlin',
        'at        Mon 2026-03-02 13:00 +01:00  2026-03-02T12:00:00Z',
        'state     awake since Mon 2026-03-02 08:00 +01:00',
        '',
        'Mon 2026-03-02 18:00 +01:00  2026-03-02T17:00:00Z  asleep',
        'Tue 2026-03-03 08:00 +01:00  2026-03-03T07:00:00Z  awake',
        'Tue 2026-03-03 18:00 +01:00  2026-03-03T17:00:00Z  asleep',
        '',
      ].join('\n'),
    )
  })

  it('starts at --from in the time zone, and shows the change to daylight saving time', async () => {
    const { out } = await explain(
      '2:30-4:00',
      '--timezone',
      'Europe/Berlin',
      '--from',
      '2026-03-29T00:00',
      '--count',
      '1',
    )
    expect(out).to.contain('Sun 2026-03-29 03:30 +02:00  2026-03-29T01:30:00Z  awake')
  })

  it("computes in the configuration's time zone, unless --timezone names another", async () => {
    const config = at('dormouse.yaml')
    await writeFile(config, "timezone: Europe/Berlin\ncalendars: { xmas: { dates: { 2026-12-24: '' } } }\n")
    const args = ['8:00-18:00', '--config', config, '--from', '2026-03-02T12:00', '--count', '1']
    for (const calendar of [[], ['--calendar', 'xmas']]) {
      const { out } = await explain(...args, ...calendar)
      expect(out).to.contain('at        Mon 2026-03-02 12:00 +01:00').and.contain('timezone  Europe/Berlin')
    }
    expect((await explain(...args, '--timezone', 'UTC')).out).to.contain('timezone  UTC')
  })

  it('prints the same content as JSON', async () => {
    const { out } = await explain('8:00-18:00', '--timezone', 'Asia/Kathmandu', '--count', '1', '--json')
    expect(JSON.parse(out)).to.deep.equal({
      schedule: '8:00-18:00',
      timezone: 'Asia/Kathmandu',
      from: '2026-03-02T12:00:00Z',
      state: 'awake',
      since: '2026-03-02T02:15:00Z',
      calendar: [],
      edges: [{ at: '2026-03-02T12:15:00Z', local: '2026-03-02T18:00:00+05:45', to: 'asleep' }],
    })
  })

  it('shows what calendars of the configuration change within a year, dates and files', async () => {
    const [config, ics] = [at('dormouse.yaml'), at('company.ics')]
    await writeFile(ics, icsOf(allDay('20200504', '20200505', 'RRULE:FREQ=YEARLY')))
    await writeFile(
      config,
      `calendars:\n  de:\n    dates: { 2026-12-24..2027-01-01: '', 2026-10-10: '9:00-14:00' }\n  company: { files: ['${ics}'] }\n`,
    )
    const args = ['8:00-18:00,Mon-Fri', '--calendar', 'de,company', '--config', config, '--count', '1']
    expect((await explain(...args)).out).to.equal(
      [
        'schedule  8:00-18:00,Mon-Fri',
        'timezone  UTC',
        'at        Mon 2026-03-02 12:00 +00:00  2026-03-02T12:00:00Z',
        'state     awake since Mon 2026-03-02 08:00 +00:00',
        'calendar  Mon 2026-05-04  none (company)',
        '          Sat 2026-10-10  9:00-14:00 (de)',
        '          Thu 2026-12-24 to Fri 2027-01-01  none (de)',
        '',
        'Mon 2026-03-02 18:00 +00:00  2026-03-02T18:00:00Z  asleep',
        '',
      ].join('\n'),
    )
    const unknown = await explain('8:00-18:00', '--calendar', 'at', '--config', config)
    expect(unknown.code).to.equal(2)
    expect(unknown.err).to.contain("--calendar: there is no calendar 'at': write one of de, company")
    const none = await explain('8:00-18:00', '--calendar', 'at')
    expect(none.err).to.contain('the configuration has no calendars (--config names the configuration)')
  })

  it('with a calendar does not say of a schedule that changes next week that it never does', async () => {
    const config = at('dormouse.yaml')
    await writeFile(
      config,
      `calendars: { next: { dates: { 2026-03-09: '' } }, closed: { dates: { 2025-01-01..2029-01-01: '' } } }`,
    )
    const next = (await explain('0:00-24:00', '--calendar', 'next', '--config', config)).out
    expect(next).to.contain('state     awake for a year at least\n')
    expect(next).to.contain('Mon 2026-03-09 00:00 +00:00  2026-03-09T00:00:00Z  asleep')
    const closed = (await explain('8:00-18:00', '--calendar', 'closed', '--config', config)).out
    expect(closed).to.contain('state     asleep for a year at least\n')
  })

  it('reads of calendar files what they say of the time of --from', async () => {
    const [config, ics] = [at('dormouse.yaml'), at('company.ics')]
    await writeFile(ics, icsOf(allDay('20200504', '20200505', 'RRULE:FREQ=YEARLY')))
    await writeFile(config, `calendars: { company: { files: ['${ics}'] } }`)
    const args = ['8:00-18:00', '--calendar', 'company', '--config', config, '--from', '2031-05-03T12:00']
    const { out } = await explain(...args, '--count', '2')
    expect(out).to.contain('calendar  Sun 2031-05-04  none (company)')
    expect(out).to.contain('Mon 2031-05-05 08:00 +00:00  2031-05-05T08:00:00Z  awake')
  })

  it('prints ten edges unless told otherwise', async () => {
    expect((await explain('8:00-18:00')).out.match(/^\w{3} \d{4}/gm)).to.have.length(10)
  })

  it('says of a schedule without edges that it never changes', async () => {
    expect((await explain('0:00-24:00')).out).to.contain('always awake')
  })

  for (const none of ['', '  ']) {
    it(`says of an empty schedule that nothing happens by itself: '${none}'`, async () => {
      const { code, out, err } = await explain(none, '--timezone', 'Europe/Berlin')
      expect([code, err]).to.deep.equal([0, ''])
      expect(out).to.equal('schedule  none: nothing happens by itself\n')
      expect(JSON.parse((await explain(none, '--json')).out)).to.include({
        schedule: null,
        state: null,
        since: null,
      })
    })
  }

  it('asks for quotes when the shell has split the schedule', async () => {
    const { code, out, err } = await explain('8:00-18:00,', 'Mon-Fri')
    expect([code, out]).to.deep.equal([2, ''])
    expect(err).to.contain(
      "a schedule is one argument: quote it, as in dormouse explain '8:00-18:00, Mon-Fri'",
    )
  })

  it('points at the fault with a caret', async () => {
    const { code, out, err } = await explain('8:00-18:00,Mon-Fry')
    expect([code, out]).to.deep.equal([2, ''])
    const [message, text, caret] = err.split('\n')
    expect(message).to.match(/^error: at 16: expected a day/)
    expect(text).to.equal('  8:00-18:00,Mon-Fry')
    expect(text?.slice(caret?.indexOf('^'))).to.equal('Fry')
  })

  it('removes control characters from what it quotes', async () => {
    expect((await explain('8:00-\u001B[31m')).err).not.to.contain('\u001B')
  })

  for (const args of [
    ['8:00-18:00', '--timezone', 'Mars/Olympus'],
    ['8:00-18:00', '--from', 'tomorrow'],
    ['8:00-18:00', '--count', '0'],
    ['8:00-18:00', '--count', '1e3'],
    [],
  ]) {
    it(`ends with 2 for: explain ${args.join(' ')}`, async () => {
      const { code, out, err } = await explain(...args)
      expect([code, out]).to.deep.equal([2, ''])
      expect(err).to.contain(args.at(-2) ?? 'schedule')
    })
  }
})

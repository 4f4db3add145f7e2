import { expect } from 'chai'
import { writeFile } from 'node:fs/promises'
import { registerExplain } from '../../src/cli/explain.ts'
import { allDay, icsOf } from '../service/calendars/ics-text.ts'
import { call } from './terminal.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const explain = (...args: string[]) => call(registerExplain, ['explain', ...args])

describe('dormouse explain', () => {
  const at = temporaryFolder()

  it("computes in the configuration's time zone, unless --timezone names another", async () => {
    const config = at('dormouse.yaml')
    await writeFile(config, 'timezone: Europe/Berlin\n')
    const args = ['8:00-18:00', '--config', config, '--from', '2026-03-02T12:00']
    expect((await explain(...args)).out).to.contain('at        Mon 2026-03-02 12:00 +01:00')
    expect((await explain(...args, '--timezone', 'UTC')).out).to.contain('timezone  UTC')
  })

  it('prints the same content as JSON', async () => {
    const { out } = await explain('8:00-18:00', '--timezone', 'Asia/Kathmandu', '--count', '1', '--json')
    expect(JSON.parse(out)).to.deep.equal({
      schedule: '8:00-18:00',
      timezone: 'Asia/Kathmandu',
      zoneData: process.versions['tz'],
      from: '2026-03-02T12:00:00Z',
      state: 'awake',
      since: '2026-03-02T02:15:00Z',
      calendar: [],
      added: [],
      notes: [],
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
        `timezone  UTC (zone data ${process.versions['tz']})`,
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
    const later = await explain(...args, '--from', '2032-05-03T12:00')
    expect(later.out).to.contain('calendar  Tue 2032-05-04  none (company)')
    const unknown = await explain('8:00-18:00', '--calendar', 'at', '--config', config)
    expect(unknown.code).to.equal(2)
    expect(unknown.err).to.contain("--calendar: there is no calendar 'at': write one of de, company")
    const none = await explain('8:00-18:00', '--calendar', 'at')
    expect(none.err).to.contain('the configuration has no calendars (--config names the configuration)')
  })

  it('names the events of calendars, the hours that they add, and what of their files does not count', async () => {
    const [config, ics, releases] = [at('dormouse.yaml'), at('company.ics'), at('releases.ics')]
    const off = allDay('20260504', '20260506', 'SUMMARY:Outing', 'DESCRIPTION:Public holiday')
    const other = allDay('20260506', '20260507', 'SUMMARY:May', 'DESCRIPTION:Public holiday')
    await writeFile(ics, icsOf(off, other, allDay('20260601', '20260602', 'DESCRIPTION:Observance')))
    const release =
      'BEGIN:VEVENT\r\nSUMMARY:Release 12\r\nDTSTART:20260505T200000Z\r\nDURATION:PT3H\r\nEND:VEVENT'
    await writeFile(releases, icsOf(release, allDay('20260508')))
    const calendars = {
      company: { files: [ics], events: { description: ['public holiday'] } },
      releases: { files: [releases], means: 'awake' },
    }
    await writeFile(config, JSON.stringify({ calendars }))
    const args = [
      '8:00-18:00',
      '--calendar',
      'company,releases',
      '--config',
      config,
      '--from',
      '2026-05-03T20:00',
    ]
    const { out } = await explain(...args, '--count', '4', '--timezone', 'Europe/Berlin')
    expect(out.split('\n').slice(4)).to.deep.equal([
      'calendar  Mon 2026-05-04 to Tue 2026-05-05  none (company: Outing)',
      '          Wed 2026-05-06  none (company: May)',
      'added     Tue 2026-05-05 22:00 +02:00 to Wed 2026-05-06 01:00 +02:00  awake (releases: Release 12)',
      '          Fri 2026-05-08 00:00 +02:00 to Sat 2026-05-09 00:00 +02:00  awake (releases)',
      `note      company: ${ics}: 1 event of it do not match \`events\``.replace('do not', 'does not'),
      '',
      'Tue 2026-05-05 22:00 +02:00  2026-05-05T20:00:00Z  awake',
      'Wed 2026-05-06 01:00 +02:00  2026-05-05T23:00:00Z  asleep',
      'Thu 2026-05-07 08:00 +02:00  2026-05-07T06:00:00Z  awake',
      'Thu 2026-05-07 18:00 +02:00  2026-05-07T16:00:00Z  asleep',
      '',
    ])
    const json = JSON.parse((await explain(...args, '--json')).out) as {
      calendar: { event: string | null }[]
      added: { event: string | null; start: string }[]
    }
    expect(json.calendar.map(({ event }) => event)).to.deep.equal(['Outing', 'May'])
    expect(json.added.map(({ event, start }) => [event, start])).to.deep.equal([
      ['Release 12', '2026-05-05T20:00:00Z'],
      [null, '2026-05-08T00:00:00Z'],
    ])
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

  it('prints ten edges unless told otherwise, and says of a schedule without edges that it never changes', async () => {
    expect((await explain('8:00-18:00')).out.match(/^\w{3} \d{4}/gm)).to.have.length(10)
    expect((await explain('0:00-24:00')).out).to.contain('always awake')
  })

  it('says of an empty schedule that nothing happens by itself', async () => {
    for (const none of ['', '  ']) {
      expect(await explain(none)).to.deep.equal({
        code: 0,
        out: 'schedule  none: nothing happens by itself\n',
        err: '',
      })
      const { out } = await explain(none, '--json')
      expect(JSON.parse(out)).to.include({ schedule: null, state: null, since: null })
    }
  })

  it('asks for quotes when the shell has split the schedule, without its control characters', async () => {
    const { code, out, err } = await explain('8:00-18:00,', 'Mon-Fri')
    expect([code, out]).to.deep.equal([2, ''])
    expect(err).to.contain("quote it, as in dormouse explain '8:00-18:00, Mon-Fri'")
    expect((await explain('8:00-\u001B[31m')).err).not.to.contain('\u001B')
  })

  for (const args of [
    ['8:00-18:00', '--timezone', 'Mars/Olympus'],
    ['8:00-18:00', '--timezone', 'BST'],
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

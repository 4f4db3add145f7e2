import { expect } from 'chai'
import { Table } from '../../src/client/text/table.ts'
import { aRecord, anAsleepRecord, FakeDormouse, typed } from './fake-dormouse.ts'

const LONG = 'a-service-with-the-long-name-that-people-give-to-what-they-love'
const REASON =
  'asleep by schedule 8:00-18:00,Mon-Fri (Europe/Berlin, calendar german-holidays) of namespace shop'
const ANN = 'ann.of.the.long.name@engineering.example.com'

/** Asked about a plan with long reasons, and one workload with a long history. */
class Wordy extends FakeDormouse {
  override async plan() {
    return [
      { at: '2026-03-02T17:00:00.000Z', type: 'snooze', reason: REASON },
      { at: '2026-03-12T07:00:00.000Z', type: 'wake', reason: 'awake by schedule' },
    ] as never
  }
}

const done = {
  type: 'snooze',
  trigger: 'schedule',
  timestamp: '2026-02-02T10:00:00.000Z',
  replicas: 1000,
  duration: 2140,
  by: `k8s:${ANN}`,
  result: 'succeeded',
} as const
const saved = (cores: number) => ({
  since: '2026-02-23T12:00:00.000Z',
  replica_seconds: cores * 3600,
  cpu_core_seconds: cores * 3600,
  memory_byte_seconds: 2 ** 40,
  money: { amount: cores, currency: 'EUR' },
})
const record = {
  name: LONG,
  workloads: 1,
  saved: saved(12_345),
  saved_by_team: {},
} as never

const over = () =>
  Object.assign(
    new Wordy({
      workloads: [anAsleepRecord(LONG, { operation_history: [done] }), aRecord('web', { reason: REASON })],
    }),
    { namespaceRecords: [{ ...(record as object), name: 'shop' }] },
  )
const LINES = [
  ['list'],
  ['list', '-A', '--contexts', '*'],
  ['plan', LONG],
  ['status', LONG],
  ['savings', '-A'],
]
/** A table's lines: sentences stand above some. */
const tableIn = (out: string) => out.slice(Math.max(0, out.search(/ *(?:WHEN|CLUSTER|NAME) /))).split('\n')

describe('a table', () => {
  const cluster = over()
  const answered = (line: readonly string[], terminal: object) =>
    typed(line, {
      over: cluster,
      clusters: { 'a-context-with-a-long-name-of-its-own': cluster },
      ...terminal,
    })

  for (const line of LINES)
    for (const columns of [60, 80])
      it(`has no line that wraps: ${line[0]} ${line.slice(2).join(' ')} at ${columns}`, async () => {
        const { code, out } = await answered(line, {
          isTerminal: true,
          columns,
          environment: { NO_COLOR: '1' },
        })
        expect(code).to.equal(0)
        for (const each of tableIn(out)) expect(each.length, each).to.be.at.most(columns)
      })

  for (const line of LINES)
    it(`loses nothing where it is wide, or no terminal: ${line[0]} ${line.slice(2).join(' ')}`, async () => {
      const piped = await answered(line, {})
      const wide = await answered(line, { isTerminal: true, columns: 400, environment: { NO_COLOR: '1' } })
      expect(wide.out).to.equal(piped.out)
      expect(piped.out).to.not.include('…')
    })

  it('loses nothing of a row that a watch writes later, but on a terminal', () => {
    const [header, first, later] = [['NAME'], ['web'], [LONG]]
    expect(new Table(header, [first]).row(later)).to.equal(`${LONG}\n`)
    expect(new Table(header, [first], 80).row(later)).to.equal('a-s…\n')
  })

  it('of a plan keeps when and what, and tells the beginning of why', async () => {
    const { out } = await answered(['plan', 'web'], { isTerminal: true, columns: 60 })
    expect(out).to.match(/^Mon 2026-03-02 18:00 +5h +sleeps +asleep by sche.*…$/m)
  })
})

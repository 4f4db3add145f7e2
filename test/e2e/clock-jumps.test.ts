import { expect } from 'chai'
import { describeOn } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { sumOf } from '../support/metrics-text.ts'
import { ProgramClock } from '../support/program-clock.ts'
import { served } from '../support/served.ts'
import { marksOf } from './agreement.ts'
import { columns, REPLICAS, ROWS, SETTINGS, setRows } from './clock-rows.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

for (const [direction, sign] of [
  ['ahead', 1],
  ['back', -1],
] as const) {
  describeOn(`a clock that jumps ${direction}, and is put right again`, function (on) {
    this.timeout(120_000)
    const clock = new ProgramClock()
    const here = served(on, SETTINGS, clock.preload)
    let began: number

    before('a workload of each sort', async () => {
      began = performance.now()
      await setRows(here, Date.now())
      await reached(0)
    })

    after(() => clock.remove())

    for (const [index, [span, milliseconds]] of [
      ['an hour', HOUR],
      ['a day', DAY],
      ['a year', 365 * DAY],
    ].entries()) {
      it(`by ${span}: all are as the rules say for the new time`, async () => {
        clock.moveTo(sign * Number(milliseconds))
        await reached(2 * index + 1)
      })

      it(`by ${span}, put right: all are as the rules say for the right time`, async () => {
        clock.moveTo(0)
        await reached(2 * index + 2)
      })
    }

    it('moved none more often than that', async () => {
      const made = await each(({ state }) => state?.history.length ?? 0)
      expect(made).to.deep.equal(
        ROWS.map((row) => {
          const states = columns(row[direction])
          const moves = states.filter((state, step) => step > 0 && state !== states[step - 1])
          return row.operations + moves.length
        }),
      )
    })

    it('cost no leadership, and no second is saved that did not pass', async () => {
      const samples = await here.dormouse.metrics()
      expect(sumOf(samples, 'dormouse_leader')).to.equal(1)
      expect(here.dormouse.log.filter(({ msg }) => msg === 'this replica leads')).to.have.length(1)
      const saved = sumOf(samples, 'dormouse_saved_replica_seconds_total', { namespace: here.namespace })
      const most = (REPLICAS * ROWS.length * (performance.now() - began)) / 1000
      expect(saved).to.be.within(1, most)
    })

    async function reached(step: number): Promise<void> {
      const wanted = Object.fromEntries(ROWS.map((row) => [row.name, columns(row[direction])[step]]))
      await eventually(`what column ${step} says`, async () => {
        const found = await each(({ label }) => (label === undefined ? 'awake' : 'asleep'))
        expect(Object.fromEntries(ROWS.map(({ name }, row) => [name, found[row]]))).to.deep.equal(wanted)
        return true
      })
      // Then nothing but the clock makes anybody look at them again. A snooze is completed with the next write.
      await eventually('wakes to be completed', async () => {
        const newest = await each(({ state }) => state?.history[0])
        return newest.every((operation) => operation?.type !== 'wake' || operation.result !== 'running')
      })
      const counts = await each(({ replicas, label }) => [replicas, label])
      const kept = ROWS.map(({ name }) =>
        wanted[name] === 'awake' ? [REPLICAS, undefined] : [0, `${REPLICAS}`],
      )
      const counted = ROWS.map(({ kind }) => kind !== 'daemonsets')
      expect(counts.filter((_, row) => counted[row])).to.deep.equal(kept.filter((_, row) => counted[row]))
    }

    /** Asks of each workload, as the cluster has it, in the order of the rows. */
    async function each<T>(question: (marks: ReturnType<typeof marksOf>) => T): Promise<T[]> {
      return Promise.all(
        ROWS.map(async ({ kind, name }) => {
          const object = await here.cluster.admin.expect('GET', here.path(kind, name))
          return question(
            marksOf({ kind: 'Deployment', ...object } as unknown as Parameters<typeof marksOf>[0]),
          )
        }),
      )
    }
  })
}

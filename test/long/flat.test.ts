import { expect } from 'chai'
import { BEHAVIOURS } from '../hostile-clients/behaviours.ts'
import { Crowd } from '../hostile-clients/crowd.ts'
import { shown, Stage, type Footprint, type PortName } from '../hostile-clients/stage.ts'
import { eventually, inParallel } from '../support/eventually.ts'
import { print } from '../support/figures.ts'
import { manifest } from '../support/manifests.ts'
import { createNamespace } from '../support/served.ts'

const MINUTE = 60_000
/** How long the load lasts, in minutes: `DORMOUSE_FLAT_MINUTES=60 npm run test:long -- --grep flat`. */
const MINUTES = Number(process.env['DORMOUSE_FLAT_MINUTES'] ?? 5)
/** The part of it after which everything that is kept for good (code, caches) is there. */
const WARM = 0.2
const MB = 1e6

const NAMES = Array.from({ length: 20 }, (_, index) => `web-${index}`)
const HOSTILE: readonly PortName[] = ['api', 'apiWithoutTls', 'webhook', 'metrics']

describe('memory and descriptors', function () {
  this.timeout((MINUTES + 5) * MINUTE)
  let stage: Stage

  before(async () => {
    stage = await Stage.start({ api: { rate: { perSecond: 1000, burst: 1000 } } })
    await createNamespace(stage.cluster, 'shop')
    await stage.cluster.create(
      'shop',
      NAMES.map((name) => manifest('deployments', name, { replicas: 2 })),
    )
  })
  after(() => stage.stop())

  it(`are flat over ${MINUTES} minutes of work, of bad tokens, of hostile clients and of broken watches`, async () => {
    const began = Date.now()
    const rounds = { all: 0 }
    const until = async (part: number) => {
      while (Date.now() < began + part * MINUTES * MINUTE) await round((rounds.all += 1))
    }
    await until(WARM)
    const begin = await stage.footprint()
    const warm = rounds.all
    await until(1)
    const end = await stage.settled(begin)
    print([
      `after ${warm} rounds in ${(WARM * MINUTES).toFixed(0)} min: ${shown(begin)}`,
      `after ${rounds.all} rounds in ${MINUTES} min: ${shown(end)}`,
    ])
    expectFlat(begin, end)
  })

  /** One of everything, in some seconds. */
  async function round(number: number): Promise<void> {
    const crowds = await Promise.all(
      HOSTILE.flatMap((port) =>
        Object.values(BEHAVIOURS).map(async (behaviour) =>
          Crowd.open(stage.ports[port].url, 10, behaviour(port, await stage.token('hostile'))),
        ),
      ),
    )
    const { api } = stage.dormouse
    await inParallel(NAMES, async (name) => {
      const workload = api.workload('deployments', 'shop', name)
      await answered(() => workload.enable({ schedule: '8:00-18:00,Mon-Fri' }))
      await answered(() => workload.snooze('?force=true&wait=1s'))
      await answered(() => workload.pin())
      await answered(() => workload.unpin())
      await answered(() => workload.wake())
    })
    const subjects = Array.from({ length: 20 }, (_, index) => `subject-${number % 50}-${index}`)
    await inParallel(subjects, async (subject) => {
      const token = await stage.token(subject)
      await answered(async () =>
        expect((await api.call('GET', '/workloads', { token })).status).to.equal(200),
      )
      expect(
        (await api.call('GET', '/workloads', { token: `${token.slice(0, -9)}AAAAAAAAA` })).status,
      ).to.equal(401)
    })
    for (const port of HOSTILE) await answered(() => stage.visit(port))
    await stage.dormouse.metrics()
    for (const watch of stage.proxy.watches()) watch.cut()
    await Promise.all(crowds.map((crowd) => crowd.leave()))
  }
})

/** Asks until it is answered: the round before has broken the watches, and until they are back there are answers of 503. */
async function answered(ask: () => Promise<unknown>): Promise<void> {
  await eventually('an answer', () => ask().then(() => true))
}

/** An hour's growth of 1 byte in 10 would be a leak that ends a pod in days; variation between samples is less. */
function expectFlat(begin: Footprint, end: Footprint): void {
  expect(end.descriptors, 'descriptors').to.be.at.most(begin.descriptors + 5)
  expect(end.heap, 'heap').to.be.below(1.1 * begin.heap + 2 * MB)
  expect(end.rss, 'RSS').to.be.below(1.2 * begin.rss + 10 * MB)
}

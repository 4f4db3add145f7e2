import { connect } from 'node:net'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { prometheus } from '../dashboards/prometheus.ts'
import { haproxyIngress, skipper, traefikRule } from '../go-programs/ingress-controllers.ts'
import { kubeProxyRule } from '../go-programs/kube-proxy-rule.ts'
import { both, type Need } from '../suite/need.ts'
import type { Cluster } from '../support/cluster.ts'
import { eventually, inParallel } from '../support/eventually.ts'
import { print, printFigures, quantile } from '../support/figures.ts'
import { describeOnNetwork } from '../support/network.ts'
import { call, CALLERS, get, type CallerName, type Target } from '../traffic/callers.ts'
import type { Front } from '../traffic/front.ts'
import { haproxy, startHaproxyIngress } from '../traffic/haproxy-ingress.ts'
import { flow, others, tally, type Fate } from '../traffic/flow.ts'
import { Rule } from '../traffic/rule.ts'
import { Scalings } from '../traffic/scalings.ts'
import { setting, type Setting } from '../traffic/setting.ts'
import { startSkipper } from '../traffic/skipper.ts'
import { awake, hostOf, isAwake, slicesOf, type Sleeper } from '../traffic/sleepers.ts'

const CONNECTIONS = Number(process.env['DORMOUSE_TRAFFIC_CONNECTIONS'] ?? 1000)
const ROUNDS = Number(process.env['DORMOUSE_TRAFFIC_ROUNDS'] ?? 300)
/** Wakes that are timed. */
const TIMED = Number(process.env['DORMOUSE_TRAFFIC_TIMED'] ?? 200)
const PROBED_SECONDS = Number(process.env['DORMOUSE_TRAFFIC_PROBED_SECONDS'] ?? 600)
/** Milliseconds between two connections: the tests' own processor is not what is measured. */
const PAUSE = 40
const ALL = Object.keys(CALLERS) as CallerName[]
const CLIENT_FIRST = ALL.filter((name) => name !== 'greeting')
const OVER_HTTP: readonly CallerName[] = ['http', 'posted', 'websocket']
/** Milliseconds between two of Skipper's readings of slices, by default; HAProxy Ingress reads more often. */
const READING = 3000
/** Milliseconds in which a wake is under way, and in which it is asked for. */
const MID_WAKE = 1500
const ASKED = 150
/** The alert of many clusters about a target that cannot be scraped, without the minutes that it usually waits. */
const TARGET_DOWN = {
  groups: [{ name: 'targets', rules: [{ alert: 'TargetDown', expr: 'up == 0' }] }],
}

for (const endpoints of ['ready', 'fallback'] as const)
  describeOnNetwork(
    import.meta.filename,
    kubeProxyRule,
    `connections through sleep, wake and handover, with endpoints: ${endpoints},`,
    function (on, rule) {
      this.timeout(900_000)
      const place = setting(on, rule, { endpoints, heldPerService: 512 })

      for (const [mode, callers] of [
        ['any', CLIENT_FIRST],
        ['connect', ALL],
      ] as const)
        it(`${mode}: each gets the app's answer, and none comes to a pod that is not ready`, async () => {
          const web = await place.sleepers.create(`web-${mode}`, mode)
          const fates = await through(place, web, callers, toService(place, web))
          tell(`${mode}, endpoints: ${endpoints}`, fates)
          expect(others(fates, 'app').join('\n')).to.equal('')
          expect(place.sleepers.early).to.deep.equal([])
        })

      it('page: each gets the app or the 503 of a waker, and a person wakes it', async () => {
        const web = await place.sleepers.create('web-page', 'page')
        const target = toService(place, web)
        const person = async () => {
          const to = await target('http')
          if (to) await asThePage(to)
        }
        const fates = await through(place, web, ['http', 'posted'], target, { wake: person })
        tell(`page, endpoints: ${endpoints}`, fates)
        expect(others(fates, 'app', 'waker').join('\n')).to.equal('')
        expect(tally(fates)).to.have.all.keys('app', 'waker')
      })
    },
  )

describeThrough('Skipper', skipper, startSkipper)
describeThrough('HAProxy Ingress', both(haproxy, haproxyIngress), startHaproxyIngress)

describeOnNetwork(
  import.meta.filename,
  both(kubeProxyRule, traefikRule),
  'connections where Traefik sends them, which reads slices,',
  function (on, [rule, path]) {
    this.timeout(900_000)
    const place = setting(on, rule, { heldPerService: 512 })
    let traefik: Rule

    before('its rule runs', async () => {
      traefik = await Rule.traefik(path, on().adminKubeconfig)
    })
    after('it is gone', () => traefik?.stop())

    it("any: each gets the app's answer", async () => {
      const web = await place.sleepers.create('web', 'any')
      const target = () => traefik.target(place.here.namespace, 'web', 'http')
      await eventually('its Ingress', target)
      const fates = await through(place, web, OVER_HTTP, target)
      tell('any, by the rule of Traefik', fates)
      expect(others(fates, 'app').join('\n')).to.equal('')
      expect(place.sleepers.early).to.deep.equal([])
    })
  },
)

describeOnNetwork(
  import.meta.filename,
  kubeProxyRule,
  'traffic to sleepers while something fails',
  function (on, rule) {
    this.timeout(3 * 3_600_000)
    const place = setting(on, rule, { heldPerService: 512 })

    it('a waker is killed in mid-wake: it wakes once, and whoever calls again is answered', async () => {
      const web = await place.sleepers.create('killed-waker', 'any')
      const target = toService(place, web)
      const lost: string[] = []
      const twice: string[] = []
      let withVictim = 0
      for (let round = 0; round < ROUNDS; round++) {
        await asleep(place, web)
        const held = flow({ count: 3, callers: CLIENT_FIRST, pause: 20, target })
        await sleep(Math.random() * MID_WAKE)
        const victim = place.wakers.ready[round % 2]
        if (victim !== undefined) place.wakers.kill(victim)
        const fates = await held
        // Those that it held are lost with it, as with any process.
        const elsewhere = fates.filter(({ to }) => !to.startsWith(`${victim}:`))
        withVictim += others(fates, 'app').length - others(elsewhere, 'app').length
        lost.push(...others(elsewhere, 'app'))
        await eventually('an answer', async () => {
          const to = await target('http')
          return to && (await call('http', to)).end === 'app'
        })
        await handedOver(place, web)
        twice.push(...(await otherThanOneWake(web)))
        tellRound('a waker killed in mid-wake', round, { lost, twice, withVictim })
      }
      expect(lost.join('\n')).to.equal('')
      expect(twice.join('\n')).to.equal('')
      expect(place.sleepers.early).to.deep.equal([])
    })

    it('Dormouse is killed in mid-wake: each connection that is held gets its answer', async () => {
      const web = await place.sleepers.create('killed-leader', 'any')
      const target = toService(place, web)
      const lost: string[] = []
      const twice: string[] = []
      const took: number[] = []
      for (let round = 0; round < ROUNDS; round++) {
        await asleep(place, web)
        const held = flow({ count: 3, callers: CLIENT_FIRST, pause: 20, target })
        await sleep(Math.random() * ASKED)
        await place.killDormouse()
        const fates = await held
        lost.push(...others(fates, 'app'))
        took.push(...fates.map((fate) => fate.took))
        await handedOver(place, web)
        twice.push(...(await otherThanOneWake(web)))
        tellRound('Dormouse killed in mid-wake', round, { lost, twice })
      }
      printFigures('Dormouse killed in mid-wake', [{ name: 'until the answer', values: took }])
      expect(lost.join('\n')).to.equal('')
      expect(twice.join('\n')).to.equal('')
      expect(place.sleepers.early).to.deep.equal([])
    })

    it('wakers are rolled under load: no connection comes to a closed port', async () => {
      const web = await place.sleepers.create('rolled', 'page')
      await asleep(place, web)
      const rolled = new AbortController()
      const fates = flow({
        count: 100_000,
        callers: ['http'],
        pause: PAUSE,
        target: toService(place, web),
        until: rolled.signal,
      })
      await sleep(1000)
      await place.wakers.roll('2')
      // The old ones leave once no slice names them.
      await eventually('the old wakers to be gone', () => place.wakers.count === 2, { timeout: 90_000 })
      rolled.abort()
      tell('wakers rolled', await fates)
      expect(others(await fates, 'waker').join('\n')).to.equal('')
    })
  },
)

describeOnNetwork(import.meta.filename, kubeProxyRule, 'how soon traffic wakes', function (on, rule) {
  this.timeout(1_800_000)
  const place = setting(on, rule, { heldPerService: 512 })
  const SLEEPERS = 20

  it('each first byte leads to the write of a wake', async () => {
    const names = Array.from({ length: SLEEPERS }, (_, at) => `timed-${at}`)
    const sleepers = await inParallel(names, (name) => place.sleepers.create(name, 'any'), 8)
    // Paused: its pods cost nothing.
    await place.here.create('deployments', 'bare', { replicas: 0, paused: true })
    const scaleBare = (replicas: number) => place.here.scale('deployments', 'bare', replicas)
    const scalings = new Scalings(on(), place.here.namespace)
    const took: number[] = []
    const bareTook: number[] = []
    try {
      while (took.length < TIMED) {
        await inParallel(sleepers, (each) => asleep(place, each), 12)
        for (const each of sleepers) {
          const to = await toService(place, each)('http')
          if (!to) throw new Error(`${each.name} has no endpoint`)
          took.push(await untilScaled(to, () => scalings.next(each.name)))
          const begun = performance.now()
          const heard = scalings.next('bare')
          await scaleBare(1)
          bareTook.push((await heard) - begun)
          await scaleBare(0)
        }
        await inParallel(sleepers, (each) => handedOver(place, each), 12)
        print([`${took.length} wakes, p50 until now ${Math.round(quantile(took, 0.5))} ms`])
      }
    } finally {
      await scalings.stop()
    }
    printFigures('until a watch heard the write', [
      { name: 'from the first byte', values: took },
      { name: 'from a bare scaling', values: bareTook },
    ])
    expect(took).to.have.lengthOf.at.least(TIMED)
  })
})

describeOnNetwork(
  import.meta.filename,
  both(kubeProxyRule, prometheus),
  'what looks at a sleeper and does not use it',
  function (on, [rule, Prometheus]) {
    this.timeout(PROBED_SECONDS * 1000 + 600_000)
    const place = setting(on, rule, { heldPerService: 512 })

    it('probes and Prometheus wake nothing, and Prometheus finds a target that is up', async () => {
      const page = await place.sleepers.create('page', 'page')
      const any = await place.sleepers.create('any', 'any')
      for (const each of [page, any]) await asleep(place, each)
      const target = await toService(place, page)('http')
      const other = await toService(place, any)('http')
      if (!target || !other) throw new Error('a sleeper has no endpoint')
      const targets = [target, other].map(({ address, port }) => `${address}:${port}`)
      const directory = await mkdtemp(join(tmpdir(), 'dormouse-target-down-'))
      const ruleFile = join(directory, 'rules.yaml')
      await writeFile(ruleFile, JSON.stringify(TARGET_DOWN))
      const running = await Prometheus.start({ targets, interval: 1000, ruleFile })
      try {
        const until = performance.now() + PROBED_SECONDS * 1000
        while (performance.now() < until) {
          for (const to of [target, other]) {
            for (const agent of ['kube-probe/1.35', 'ELB-HealthChecker/2.0', 'GoogleHC/1.0'])
              await get(to, AbortSignal.timeout(5000), { 'user-agent': agent })
            await justConnect(to)
          }
          await get(target, AbortSignal.timeout(5000), { 'sec-fetch-mode': 'cors' })
          await sleep(1000)
        }
        // An alert of its own stays in the series even if the target came back.
        expect(await running.instant('max_over_time(ALERTS[1d])')).to.deep.equal([])
        expect((await running.alerts()).map(({ health }) => health)).to.deep.equal(['ok'])
        const scraped = await running.instant('count_over_time(up[1d])')
        print([`scrapes of each: ${scraped.map(({ samples }) => samples[0]?.[1]).join(', ')}`])
        for (const { workload } of [page, any]) {
          const { is_snoozed: asleep, operation_history: history } = await workload.status()
          expect(asleep).to.equal(true)
          expect(history.map(({ type }) => type)).to.deep.equal(['snooze'])
        }
      } finally {
        await running.stop()
        await rm(directory, { recursive: true })
      }
    })
  },
)

/** `start`: runs the controller that was found. */
function describeThrough<Found>(
  name: string,
  controller: Need<Found>,
  start: (found: Found, on: Cluster) => Promise<Front>,
): void {
  describeOnNetwork(
    import.meta.filename,
    both(kubeProxyRule, controller),
    `connections through ${name}, which reads slices,`,
    function (on, [rule, found]) {
      this.timeout(900_000)
      const place = setting(on, rule, { heldPerService: 512 })
      let front: Front

      before('it runs', async () => {
        front = await start(found, on())
      })
      afterEach('shows what it said of a failure', function () {
        if (this.currentTest?.state === 'failed') process.stderr.write(`${front.log.slice(-20).join('\n')}\n`)
      })
      after('it is gone', () => front?.stop())

      // Some take the ports of one slice for the addresses of all: while pods start, and as they become ready.
      for (const [pods, warm] of [
        ['at once', 200],
        ['later than it reads slices', 2 * READING],
      ] as const)
        it(`any, pods that are ready ${pods}: each gets the app's answer`, async () => {
          const web = await place.sleepers.create(`web-${warm}`, 'any', warm)
          const to = await front.target(hostOf(web.name))
          const fates = await through(place, web, OVER_HTTP, async () => to, { rest: READING / 2 })
          tell(`any, through ${name}, pods that are ready ${pods}`, fates)
          expect(others(fates, 'app').join('\n')).to.equal('')
          expect(place.sleepers.early).to.deep.equal([])
        })
    },
  )
}

/**
 * `CONNECTIONS` of them, while the workload is put to sleep again and again. `wake`: beside the connections themselves;
 * `rest`: milliseconds for which it stays awake.
 */
async function through(
  { here }: Setting,
  { workload }: Sleeper,
  callers: readonly CallerName[],
  target: (caller: CallerName) => Promise<Target | undefined>,
  { wake = async () => {}, rest = 500 } = {},
): Promise<Fate[]> {
  await eventually('an endpoint', () => target(callers[0]!))
  const done = new AbortController()
  let sleeps = 0
  const cycles = async () => {
    while (!done.signal.aborted) {
      await workload.snooze()
      sleeps += 1
      await sleep(1500)
      await wake()
      await eventually('it to be awake', async () => done.signal.aborted || isAwake(workload))
      await sleep(rest, undefined, { signal: done.signal }).catch(() => {})
    }
  }
  const cycling = cycles()
  cycling.catch(() => {})
  const fates = await flow({ count: CONNECTIONS, callers, pause: PAUSE, target })
  done.abort()
  await cycling
  print([`${here.namespace}: ${sleeps} sleeps`])
  return fates
}

function toService({ target }: Setting, { name }: Sleeper) {
  return (caller: CallerName) => target(name, CALLERS[caller].port)
}

/** Resolves once the sleeper's pods are gone and connections go to wakers. */
async function asleep({ here, target, wakers }: Setting, { name, workload }: Sleeper): Promise<void> {
  await workload.snooze('?wait=60s')
  await eventually('two wakers', () => wakers.ready.length === 2)
  await eventually('its connections to go to a waker', async () => {
    const slices = await slicesOf(here.cluster, here.namespace, name)
    const to = await target(name, 'http')
    return slices[0]?.endpoints.length === 2 && to && wakers.ready.includes(to.address)
  })
}

/** Resolves once it is awake and no slice of ours leads to wakers. */
async function handedOver({ here }: Setting, { name, workload }: Sleeper): Promise<void> {
  await awake(workload)
  await eventually('its slice to be gone', async () => {
    return (await slicesOf(here.cluster, here.namespace, name)).length === 0
  })
}

/** A line, unless its last two operations are a sleep and one wake by traffic. */
async function otherThanOneWake({ name, workload }: Sleeper): Promise<string[]> {
  const { operation_history: history } = await workload.status()
  const last = history.slice(0, 2).map(({ type, trigger }) => `${type} by ${trigger}`)
  return last[0] === 'wake by traffic' && last[1]?.startsWith('snooze') ? [] : [`${name}: ${last.join(', ')}`]
}

/** Every tenth: the run is long, and may be ended. */
function tellRound(
  title: string,
  round: number,
  { lost, twice, withVictim = 0 }: { lost: string[]; twice: string[]; withVictim?: number },
): void {
  if (round % 10 !== 9 && round !== ROUNDS - 1) return
  const counts = `${lost.length} lost or wrong, ${twice.length} not woken once, ${withVictim} lost with their waker`
  print([`${title}, ${round + 1} rounds: ${counts}`])
}

/** The page's script asks this when a person has come. */
async function asThePage(to: Target): Promise<void> {
  const headers = { accept: 'application/vnd.dormouse+json', 'dormouse-wake': '1' }
  await get(to, AbortSignal.timeout(30_000), headers)
}

/** Milliseconds from the first byte of a request until the scaling that `scaled` waits for. */
async function untilScaled({ address, port }: Target, scaled: () => Promise<number>): Promise<number> {
  const socket = connect(port, address)
  await once(socket, 'connect')
  const at = scaled()
  const begun = performance.now()
  socket.write('GET / HTTP/1.1\r\nhost: web\r\n\r\n')
  const answered = once(socket, 'data')
  // The wakes of a round do not wait for each other's pods.
  answered.then(
    () => socket.destroy(),
    () => {},
  )
  return (await at) - begun
}

/** As a TCP probe: it says nothing. */
async function justConnect({ address, port }: Target): Promise<void> {
  const socket = connect(port, address)
  await once(socket, 'connect')
  socket.destroy()
}

function tell(title: string, fates: readonly Fate[]): void {
  const values = (end: Fate['end']) => fates.filter((fate) => fate.end === end).map(({ took }) => took)
  const slow = quantile(values('app'), 0.99)
  print([`${title}: ${JSON.stringify(tally(fates))}; p99 of the app's answers ${Math.round(slow)} ms`])
}

import { expect } from 'chai'
import { pino } from 'pino'
import { systemLater, type Later } from '../../../src/process/clock.ts'
import type { Workload } from '../../../src/domain/workload/workload.ts'
import { fromKeyData, newKey, toKeyData, type KeyData } from '../../../src/service/keys/key-data.ts'
import { KeyKeeper } from '../../../src/service/keys/key-keeper.ts'
import { StateKeys } from '../../../src/service/keys/state-keys.ts'
import { eventually } from '../../support/eventually.ts'
import { FakeTime } from '../../support/fake-time.ts'
import { at, MINUTE, SECOND } from '../../support/rules.ts'
import { SharedSecret } from '../../support/shared-secret.ts'
import { signed } from '../../support/signed.ts'
import { aDeployment, type AWorkload } from '../../support/workloads.ts'

const START = at('Mon 9:00')
const logger = pino({ level: 'silent' })
const pinned = aDeployment('shop/web').withReplicas(3).enabled().pinned()

/** Replicas over one Secret, and the workloads of their cluster. */
class Replicas {
  readonly secret = new SharedSecret()
  readonly time = new FakeTime(START)
  readonly adopted: number[] = []
  workloads: Workload[] = []
  isComplete = true
  readonly #parts: { stop(): Promise<void> }[] = []

  async replica(later: Later = systemLater): Promise<StateKeys> {
    const source = this.secret.store('replica')
    const { clock } = this.time
    const keys = new StateKeys({ source, clock, later, logger })
    this.#parts.push(keys)
    await keys.start()
    return keys
  }

  async leader(keys: StateKeys): Promise<KeyKeeper> {
    const keeper = new KeyKeeper({
      store: this.secret.store('leader'),
      keys,
      workloads: () => this.workloads,
      isToSign: (workload) => keys.keyring.trustIn(workload) === 'renew',
      isComplete: () => this.isComplete,
      adopted: (workloads) => this.adopted.push(workloads),
      clock: this.time.clock,
      later: this.time.later,
      logger,
    })
    this.#parts.push(keeper)
    await keeper.start()
    return keeper
  }

  get stored(): KeyData {
    return fromKeyData(this.secret.secret?.data ?? {})
  }

  /** Lets the leader look again. */
  async look(times = 1): Promise<void> {
    for (let each = 0; each < times; each++) {
      await this.time.pass(5 * SECOND)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#parts.map((part) => part.stop()))
  }
}

describe('the keys of states', () => {
  let here: Replicas
  beforeEach(() => {
    here = new Replicas()
  })
  afterEach(() => here.stop())

  const sign = (keys: StateKeys, workload: AWorkload = pinned) => signed(workload, keys.keyring)
  const trust = (keys: StateKeys, workload: Workload) => keys.keyring.trustIn(workload)

  it('are none at first: states are not signed, and are believed', async () => {
    const keys = await here.replica()
    expect(trust(keys, pinned)).to.equal(undefined)
    expect(sign(keys).annotations).to.deep.equal(pinned.annotations)
  })

  it('are made by the leader, and read by all others', async () => {
    const [leader, other] = [await here.replica(), await here.replica()]
    await here.leader(leader)
    expect(here.stored.keys).to.have.length(1)
    const state = sign(leader)
    await eventually(
      'the other one to know the key',
      () => trust(other, state) === undefined && other.data.keys.length > 0,
    )
    expect(trust(other, pinned)).to.equal('count')
  })

  it('that are lost have the leader sign what it finds, and then believe nothing else; it says how many', async () => {
    here.workloads = [pinned, aDeployment('shop/plain')]
    const keys = await here.replica()
    await here.leader(keys)
    expect([here.stored.adopting, trust(keys, pinned), here.adopted]).to.deep.equal([true, 'renew', [1]])
    await here.look()
    expect(here.stored.adopting).to.equal(true)
    here.workloads = [sign(keys)]
    await here.look()
    expect([here.stored.adopting, trust(keys, pinned), here.adopted]).to.deep.equal([false, 'count', [1]])
  })

  it('that are lost are not said to be signed while workloads are missing; what cannot be signed is not believed for good', async () => {
    here.workloads = [pinned]
    here.isComplete = false
    const keys = await here.replica()
    await here.leader(keys)
    await here.look(3)
    expect([here.stored.adopting, here.adopted]).to.deep.equal([true, []])
    here.isComplete = true
    await here.time.pass(10 * MINUTE)
    await here.look()
    expect([here.stored.adopting, here.adopted]).to.deep.equal([false, [1]])
  })

  it('come back into their Secret while one replica knows them', async () => {
    const keys = await here.replica()
    await here.leader(keys)
    const before = here.stored
    const state = sign(keys)
    here.secret.set(undefined)
    await eventually('the keys to come back', () => here.stored.keys.length > 0)
    expect([here.stored.keys, trust(keys, state)]).to.deep.equal([before.keys, undefined])
    here.secret.set({ keys: 'short' })
    await eventually('the keys to come back again', () => here.stored.keys.length > 0)
    expect(here.stored.keys).to.deep.equal(before.keys)
  })

  it('are renewed: the next one signs from its time on, states are signed again, and the former one goes', async () => {
    const [keys, other] = [await here.replica(), await here.replica()]
    await here.leader(keys)
    const old = sign(keys)
    here.workloads = [old]
    const { keys: before } = here.stored
    here.secret.set(toKeyData({ keys: [newKey(here.time.clock() + MINUTE), ...before], adopting: false }))
    await eventually('all to know it', () => [keys, other].every(({ data }) => data.keys.length === 2))
    expect(sign(keys).annotations).to.deep.equal(old.annotations)
    here.time.jump(MINUTE)
    const renewed = sign(keys)
    expect([trust(other, renewed), trust(other, old)]).to.deep.equal([undefined, 'renew'])
    await here.time.pass(2 * MINUTE)
    await here.look()
    expect(here.stored.keys, 'a workload names it').to.have.length(2)
    here.workloads = [renewed]
    await here.look()
    expect(here.stored.keys).to.have.length(1)
    expect([trust(keys, renewed), trust(keys, old)]).to.deep.equal([undefined, 'unclear'])
  })

  it('of which the next one begins to sign tell so, also where somebody has signed by it before', async () => {
    for (const isAsked of [false, true]) {
      here.secret.set(toKeyData({ keys: [newKey(here.time.clock() + MINUTE), newKey(0)], adopting: false }))
      const keys = await here.replica(here.time.later)
      const old = sign(keys)
      let told: unknown = 'nothing'
      keys.onChange(() => {
        told = trust(keys, old)
      })
      here.time.jump(isAsked ? MINUTE : 0)
      if (isAsked) expect(trust(keys, old)).to.equal('renew')
      await here.time.pass(MINUTE)
      expect(told).to.equal('renew')
    }
  })

  it('of which the next one signs in a thousand years wait for it, and tell nothing before', async () => {
    const next = newKey(here.time.clock() + 1000 * 365 * 24 * 60 * MINUTE)
    here.secret.set(toKeyData({ keys: [next, newKey(0)], adopting: false }))
    const keys = await here.replica(here.time.later)
    let told = 0
    keys.onChange(() => told++)
    await here.time.pass(3 * MINUTE)
    // `setTimeout` beyond 2^31 - 1 ms fires at once, again and again.
    expect(Math.max(...here.time.sleeps)).to.be.below(2 ** 31)
    expect(told).to.equal(0)
    here.time.jump(next.from - here.time.clock())
    await here.time.pass(MINUTE)
    expect(told).to.equal(1)
  })

  it('that are not known are looked for before anybody judges, by one read for all who ask', async () => {
    const lists = [newKey(0), newKey(0)]
    here.secret.set(toKeyData({ keys: lists.slice(1), adopting: false }))
    const keys = await here.replica()
    await eventually('the watch', () => here.secret.pending === 0)
    // The watch of this replica is late.
    const both = toKeyData({ keys: lists, adopting: false })
    here.secret.secret = { data: both, resourceVersion: '99' }
    const byNewest = signed(pinned, (await here.replica()).keyring)
    expect(trust(keys, byNewest)).to.equal('unclear')
    const before = here.secret.reads
    await Promise.all(Array.from({ length: 50 }, () => keys.lookFor(byNewest)))
    expect(here.secret.reads - before).to.be.at.most(2)
    expect(trust(keys, byNewest)).to.equal(undefined)
  })

  it('that do not exist are looked for once, and their states count by their count alone', async () => {
    here.secret.set(toKeyData({ keys: [newKey(0)], adopting: false }))
    const keys = await here.replica()
    const forged = signed(pinned)
    let told = 0
    keys.onChange(() => told++)
    keys.want(forged)
    await eventually('it to be looked for', () => trust(keys, forged) === 'count')
    expect(told).to.be.above(0)
    const before = here.secret.reads
    keys.want(forged)
    await keys.lookFor(forged)
    expect(here.secret.reads).to.equal(before)
  })

  it('cannot be judged while the Secret cannot be read', async () => {
    here.secret.set(toKeyData({ keys: [newKey(0)], adopting: false }))
    const keys = await here.replica()
    here.secret.failing = true
    const failure = await keys.lookFor(signed(pinned)).then(
      () => undefined,
      (error: Error) => error.name,
    )
    expect(failure).to.equal('TimeoutError')
    expect(trust(keys, signed(pinned))).to.equal('unclear')
    here.secret.failing = false
    await eventually('it to be looked for', () => trust(keys, signed(pinned)) === 'count')
  })
})

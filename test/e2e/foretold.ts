import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import type { Expected } from '../../src/domain/records/forecast.ts'
import type { StatusRecord } from '../../src/domain/records/record.ts'
import { ANNOTATION, keyOf, type Kind } from '../../src/domain/workload/workload.ts'
import { apiVersionOf } from '../../src/domain/kinds.ts'
import { checkedAgainst } from '../cli/checking.ts'
import type { Cluster } from '../support/cluster.ts'
import { Dormouse } from '../support/dormouse.ts'
import { eventually, inParallel } from '../support/eventually.ts'
import { manifest } from '../support/manifests.ts'
import { testSeed } from '../support/random.ts'
import { arrangements, type Arrangement, type Texts } from './arrangements.ts'

const MINUTE = 60_000
/** The hour in which it is: at a full one a day begins in some zone, and with it what holds for a date. */
const hourOf = (instant: number) => Math.floor(instant / (60 * MINUTE))

interface Size {
  readonly namespaces: number
  readonly workloadsEach: number
  readonly kinds: readonly Kind[]
  /** How many arrangements follow each other on the same workloads. */
  readonly rounds: number
}

/** A workload as Dormouse left it, in the words of the forecast. */
interface Outcome {
  readonly managed: boolean
  readonly after: 'awake' | 'asleep'
  readonly reason: string
  readonly policy: StatusRecord['policy']
}

/**
 * Random policies, calendars and annotations, one arrangement after the other: what `dormouse check` foretells is
 * compared with what Dormouse then does, workload by workload.
 */
export function comesTrue(on: () => Cluster, { namespaces, workloadsEach, kinds, rounds }: Size): void {
  const run = randomBytes(3).toString('hex')
  const spaces = Array.from({ length: namespaces }, (_, index) => `told-${run}-${index}`)
  const keys = spaces.flatMap((namespace) =>
    Array.from({ length: workloadsEach }, (_, index) => ({
      kind: kinds[index % kinds.length] ?? 'deployments',
      namespace,
      name: `w-${index}`,
    })),
  )
  let dormouse: Dormouse | undefined

  before('the workloads are there', async function () {
    this.timeout(10 * MINUTE)
    await inParallel(spaces, async (name) => {
      await on().admin.expect('POST', '/api/v1/namespaces', { metadata: { name } })
      const objects = keys
        .filter(({ namespace }) => namespace === name)
        .map(({ kind, name: its }, index) => manifest(kind, its, { replicas: 1 + (index % 3), paused: true }))
      await on().create(name, objects)
    })
  })

  afterEach('shows the log of a failure', function () {
    if (this.currentTest?.state === 'failed') process.stderr.write(`${dormouse?.lastLines(10)}\n`)
  })

  after('the namespaces go', async function () {
    this.timeout(10 * MINUTE)
    await dormouse?.stop()
    await inParallel(spaces, (name) => on().admin.send('DELETE', `/api/v1/namespaces/${name}`))
  })

  const seed = testSeed()
  const some = fc.sample(arrangements(spaces, keys.length), { numRuns: rounds, seed })
  for (const [round, arrange] of some.entries())
    it(`what it foretells of ${keys.length} workloads comes true (${round + 1} of ${rounds})`, async function () {
      this.timeout(15 * MINUTE)
      await dormouse?.terminate()
      const arrangement = arrange(Date.now())
      await carryOut(arrangement)
      const since = Date.now()
      let foretoldAt = since
      let foretold = await checkedAgainst(on().dormouseKubeconfig, arrangement.config)
      const written = (await on().requestsSince(since)).filter(
        ({ verb, url }) => ['write', 'create', 'other'].includes(verb) && url.includes(run),
      )
      expect(written, 'what the check wrote').to.deep.equal([])
      const expected = () => new Map(foretold.workloads.map((each) => [keyOf(each), outcomeOf(each)]))
      if (dormouse) await dormouse.start(arrangement.config)
      else dormouse = await Dormouse.start(on(), arrangement.config)
      try {
        await eventually(
          'the forecast to come true',
          async () => {
            const now = Date.now()
            if (hourOf(now) !== hourOf(foretoldAt)) {
              foretold = await checkedAgainst(on().dormouseKubeconfig, arrangement.config)
              foretoldAt = now
            }
            return (await untrue(expected())).length === 0
          },
          { timeout: 3 * MINUTE, pause: 500 },
        )
      } catch (error) {
        const others = await untrue(expected())
        const shown = JSON.stringify(others.slice(0, 3), null, 2)
        throw new Error(
          `DORMOUSE_TEST_SEED=${seed}: ${others.length} of ${keys.length} came out otherwise: ${shown}`,
          { cause: error },
        )
      }
    })

  /** Only what is to change is written. */
  const now = new Map<string, string>()
  async function carryOut({ namespaces: told, workloads }: Arrangement): Promise<void> {
    const set = async (path: string, { annotations, labels }: Texts) => {
      const body = {
        metadata: { annotations: inFull(annotations), labels: { env: null, tier: null, ...labels } },
      }
      const text = JSON.stringify(body)
      if (now.get(path) === text) return
      await on().admin.expect('PATCH', path, body)
      now.set(path, text)
    }
    await inParallel(spaces, (name, index) => set(`/api/v1/namespaces/${name}`, told[index] ?? {}))
    await inParallel(keys, (key, index) =>
      set(
        `/apis/${apiVersionOf(key.kind)}/namespaces/${key.namespace}/${key.kind}/${key.name}`,
        workloads[index] ?? {},
      ),
    )
  }

  /** Those that are not as foretold: how they are, and how they should be. */
  async function untrue(expected: ReadonlyMap<string, Outcome>) {
    const lists = spaces.flatMap((namespace) => kinds.map((kind) => ({ namespace, kind })))
    const records = await inParallel(lists, async ({ namespace, kind }) => {
      const path = `/namespaces/${namespace}/${kind}?limit=500`
      const { body } = await must(dormouse).api.call<StatusRecord[]>('GET', path)
      return body.data.map((record) => [keyOf({ kind, namespace, name: record.name }), record] as const)
    })
    const known = new Map(records.flat())
    return keys.flatMap((each) => {
      const key = keyOf(each)
      const record = known.get(key)
      const is = record && madeOf(record)
      const should = expected.get(key)
      const same = should ? JSON.stringify(is) === JSON.stringify(should) : is?.managed === false
      return same ? [] : [{ key, is, should: should ?? 'not managed' }]
    })
  }
}

/** Why something wakes is told until it is awake; afterwards it is like any other. */
function outcomeOf({ managed, after, reason, policy }: Expected): Outcome {
  const afterwards = reason
    .replace(/^managing was turned off, so it wakes.*/s, '')
    .replace(/^awake: its schedule was removed/, 'awake; no schedule')
  return { managed, after, reason: afterwards, policy }
}

function madeOf({ enabled, is_snoozed, current_replicas, reason, policy }: StatusRecord): Outcome {
  const isAsleep = enabled ? is_snoozed : current_replicas === 0
  const isLeft = reason.startsWith('not managed')
  return { managed: enabled, after: isAsleep ? 'asleep' : 'awake', reason: isLeft ? '' : reason, policy }
}

/** Each of ours, so that what is not set is removed. */
function inFull(annotations: Texts['annotations'] = {}): Record<string, string | null> {
  const { state: _, ...ours } = ANNOTATION
  return Object.fromEntries(Object.values(ours).map((name) => [name, annotations[name] ?? null]))
}

function must<T>(value: T | undefined): T {
  if (value === undefined) throw new TypeError('it is there only within tests')
  return value
}

import { expect } from 'chai'
import fc from 'fast-check'
import type { StatusRecord } from '../../src/domain/records/record.ts'
import {
  ANNOTATION,
  ANNOTATION_NAMES,
  ASLEEP_LABEL,
  HELD_LABEL,
  SNOOZE_KEY,
  type Kind,
} from '../../src/domain/workload/workload.ts'
import { anyMarks, labelsWith, type Marks } from '../support/arbitrary-marks.ts'
import { describeOn } from '../support/clusters.ts'
import { eventually, inParallel } from '../support/eventually.ts'
import { manifest } from '../support/manifests.ts'
import { print } from '../support/figures.ts'
import { testSeed } from '../support/random.ts'
import { served } from '../support/served.ts'

/** Whatever marks a workload starts with, after this many writes there is nothing to do. */
const MOST_WRITES = 3
const EACH = 12
const ROUNDS = 3
const seed = testSeed()

interface Marked {
  readonly kind: Kind
  readonly name: string
  /** One for each round. */
  readonly marks: readonly Marks[]
}

/** Without the webhook, so that any marks can be written. */
describeOn('workloads with arbitrary marks', function (on) {
  this.timeout(400_000)
  const here = served(on, { newWorkloadGrace: '0s' })

  it(`are written at most ${MOST_WRITES} times after each change of their marks by others`, async () => {
    const workloads = (['deployments', 'statefulsets', 'daemonsets', 'replicasets'] as const).flatMap(
      (kind, which) =>
        fc
          .sample(fc.array(anyMarks(Date.now(), kind), { minLength: ROUNDS, maxLength: ROUNDS }), {
            numRuns: EACH,
            seed: seed + which,
          })
          .map((marks, index): Marked => ({ kind, name: `marks-${kind}-${index}`, marks })),
    )
    print([`marks of ${workloads.length} workloads, ${ROUNDS} times: DORMOUSE_TEST_SEED=${seed}`])
    await inParallel(workloads, ({ kind, name }) =>
      here.cluster.create(here.namespace, [manifest(kind, name, { replicas: 2 })]),
    )
    for (let round = 0; round < ROUNDS; round += 1) {
      const since = Date.now()
      await inParallel(workloads, ({ kind, name, marks }) => write(kind, name, marks[round]!))
      await atRest(since)
      const writes = await writesSince(since)
      const most = [...writes].filter(([, count]) => count > MOST_WRITES)
      expect(most, `round ${round + 1}: written too often`).to.deep.equal([])
      expect(writes.size, 'workloads that were written').to.be.above(EACH / 2)
    }
  })

  /** Replaces annotations, label, count and key, like a restore. */
  async function write(
    kind: Kind,
    name: string,
    { annotations, label, held, replicas, snoozeKey }: Marks,
  ): Promise<void> {
    const metadata = {
      annotations: Object.fromEntries(
        ANNOTATION_NAMES.map((mark) => [ANNOTATION[mark], annotations[mark] ?? null]),
      ),
      labels: {
        [ASLEEP_LABEL]: null,
        [HELD_LABEL]: null,
        ...labelsWith(isLabel(label) ? label : undefined, held),
      },
    }
    const nodeSelector = { [SNOOZE_KEY]: snoozeKey ? 'true' : null }
    const spec = kind === 'daemonsets' ? { template: { spec: { nodeSelector } } } : { replicas }
    await here.kubectl('patch', kind, name, '--type=merge', '-p', JSON.stringify({ metadata, spec }))
  }

  /** Resolves once Dormouse has written nothing for two seconds, or for ten while pods have not followed. */
  async function atRest(since: number): Promise<void> {
    await eventually(
      'Dormouse to rest',
      async () => {
        const patches = await patchesSince(since)
        const quiet = Date.now() - Math.max(since, ...patches.map(({ at }) => at))
        if (quiet < 2000) return false
        const list = `/workloads?namespace=${here.namespace}&limit=500`
        const { data } = (await here.api.call<StatusRecord[]>('GET', list)).body
        return quiet > 10_000 || !data.some(({ operation_in_progress: busy }) => busy)
      },
      { timeout: 120_000, pause: 300 },
    )
  }

  async function patchesSince(since: number) {
    const requests = await here.cluster.requestsSince(since)
    return requests.filter(
      ({ verb, url }) => verb === 'write' && url.includes(`/namespaces/${here.namespace}/`),
    )
  }

  async function writesSince(since: number): Promise<Map<string, number>> {
    const writes = new Map<string, number>()
    for (const { url } of await patchesSince(since)) {
      const [path = ''] = url.split('?')
      writes.set(path, (writes.get(path) ?? 0) + 1)
    }
    return writes
  }
})

function isLabel(label: string | undefined): boolean {
  return label === undefined || /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/.test(label)
}

import { expect } from 'chai'
import fc from 'fast-check'
import { changed } from '../../../src/domain/workload/change.ts'
import { keyringOf, rulesBy } from '../../support/signed.ts'
import type { Rules } from '../../../src/domain/deciding/rules.ts'
import { knownAfter, type LastKnown } from '../../../src/domain/workload/last-known.ts'
import { planStep } from '../../../src/domain/deciding/operation.ts'
import { KINDS, podsFollowed, type Kind, type Workload } from '../../../src/domain/workload/workload.ts'
import { anyMarks, labelsWith, type Marks } from '../../support/arbitrary-marks.ts'
import { followed } from '../../support/decisions.ts'
import { at, HOUR, MINUTE, RULES } from '../../support/rules.ts'
import { aDeployment } from '../../support/workloads.ts'
import { propertyRuns } from '../../support/property-runs.ts'

const NOW = at('Mon 17:55')
/** Whatever marks a workload starts with, after this many writes there is nothing to do. */
const MOST_WRITES = 3

/** The workload without its marks. */
const REST = fc.record({
  replicasManager: fc.constantFrom(
    undefined,
    { manager: 'kubectl', subresource: 'scale' },
    { manager: 'kube-controller-manager', subresource: 'scale' },
    { manager: 'argocd', subresource: undefined },
  ),
  ownReplicasEntry: fc.constantFrom(undefined, 0),
  deletesVolumes: fc.boolean(),
  formerRevision: fc.boolean(),
  keptByOther: fc.constantFrom(undefined, undefined, '3'),
  otherAnnotationBytes: fc.constantFrom(0, 0, 0, 261_000, 262_144),
  unseen: fc.boolean(),
  age: fc.constantFrom(0, 30 * 24 * HOUR),
})

const KIND = fc.constantFrom<Kind>(...KINDS)
const CASE = KIND.chain((kind) =>
  fc.record({
    kind: fc.constant(kind),
    /** The informer's earlier copies, in order; the last one is the present workload. */
    copies: fc.array(anyMarks(NOW, kind), { minLength: 1, maxLength: 4 }),
    rest: REST,
    prompt: fc.boolean(),
  }),
)

type Case = typeof CASE extends fc.Arbitrary<infer T> ? T : never

function copyOf({ kind, rest }: Case, marks: Marks, version: number): Workload {
  const { unseen, age, ...own } = rest
  const generation = version + 1
  const key = kind === 'daemonsets' ? marks.snoozeKey : undefined
  const workload = aDeployment().with({
    ...own,
    kind,
    formerRevision: own.formerRevision && kind === 'replicasets',
    deletesVolumes: own.deletesVolumes && kind === 'statefulsets',
    createdAt: NOW - age,
    resourceVersion: String(100 + version),
    generation,
    annotations: marks.annotations,
    hasAnnotations: Object.keys(marks.annotations).length > 0,
    labels: labelsWith(marks.label, marks.held),
    replicas: marks.replicas,
    snoozeKey: key,
    hasNodeSelector: key !== undefined,
  })
  return unseen ? workload.unsettled() : workload.settled()
}

/** Plans and writes until nothing is left to do: how often it wrote; undefined: the state cannot be read. */
function writesUntilRest(
  start: Workload,
  remembered: LastKnown | undefined,
  prompt: boolean,
  rules: Rules,
): number | undefined {
  let workload = start
  let known = knownAfter(workload, remembered, rules)
  for (let writes = 0; ;) {
    const step = planStep(workload, NOW, rules, known)
    const { change, decision } = step
    if (decision.reason.code === 'invalid_state') return undefined
    // Else the controller would be busy with it for ever, or never.
    expect(step.isDue).to.equal(change !== undefined)
    if (change) {
      expect(writes, 'writes so far').to.be.below(MOST_WRITES)
      workload = stored(changed(workload, change), workload)
      writes += 1
    } else if (prompt && !podsFollowed(workload)) workload = followed(workload)
    else return writes
    known = knownAfter(workload, known, rules)
  }
}

/** As the API server stores it: the annotations of a Deployment, too, make a generation. */
function stored(written: Workload, before: Workload): Workload {
  const { generation, resourceVersion } = before
  return {
    ...written,
    resourceVersion: String(Number(resourceVersion) + 1),
    generation: written.kind === 'deployments' ? generation + 1 : written.generation,
  }
}

const KEYRINGS = {
  'that nobody signs': RULES,
  'that were not signed': rulesBy(keyringOf()),
  'whose key was lost': rulesBy(keyringOf({ adopts: true })),
}

describe('whatever marks a workload arrives with, and whatever was known of it', () => {
  for (const [marks, rules] of Object.entries(KEYRINGS))
    it(`there is nothing to do after at most ${MOST_WRITES} writes, with marks ${marks}`, function () {
      this.timeout(1_200_000)
      const runs = propertyRuns(1500)
      const counts = new Map<number, number>()
      let unreadable = 0
      fc.assert(
        fc.property(CASE, (given) => {
          const copies = given.copies.map((marks, version) => copyOf(given, marks, version))
          const current = copies.pop()!
          let known: LastKnown | undefined
          for (const copy of copies) known = knownAfter(copy, known, rules)
          const writes = writesUntilRest(current, known, given.prompt, rules)
          if (writes === undefined) unreadable += 1
          else counts.set(writes, (counts.get(writes) ?? 0) + 1)
        }),
        runs,
      )
      // The property would hold of a domain that does nothing, too.
      expect(counts.get(1) ?? 0, 'cases that were written once').to.be.above(runs.numRuns / 10)
      if (process.env['PROPERTY_RUNS'])
        process.stderr.write(
          `${runs.numRuns} cases; by writes: ${JSON.stringify([...counts])}; unreadable: ${unreadable}\n`,
        )
    })
})

describe('a schedule or a zone that changes', () => {
  const HOURS = fc.constantFrom(
    '8:00-18:00,Mon-Fri',
    '22:00-6:00',
    '0:00-24:00',
    '',
    'whenever',
    '17:50-18:10',
  )
  const ZONE = fc.constantFrom('UTC', 'Asia/Tokyo', 'America/New_York', '')

  it('costs no write until something moves', () => {
    fc.assert(
      fc.property(CASE, HOURS, ZONE, fc.nat(48 * 60), (given, schedule, timezone, minutes) => {
        let workload = copyOf(given, given.copies[0]!, 0)
        const rules = { ...RULES, policy: { ...RULES.policy, newWorkloadGrace: 0 } }
        let step = planStep(workload, NOW, rules)
        for (; step.change; step = planStep(workload, NOW, rules))
          workload = followed(changed(workload, step.change))
        if (step.decision.reason.code === 'invalid_state') return
        const annotations = { ...workload.annotations, schedule, timezone }
        const { change, decision } = planStep({ ...workload, annotations }, NOW + minutes * MINUTE, rules)
        if (change && decision.action === 'none') {
          const own = planStep(workload, NOW + minutes * MINUTE, rules)
          expect(own.change, 'due without the change of schedule, too').to.not.equal(undefined)
        }
      }),
    )
  })
})

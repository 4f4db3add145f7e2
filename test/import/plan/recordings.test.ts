import { expect } from 'chai'
import { planOfDownscaler } from '../../../src/import/plan/downscaler-plan.ts'
import {
  canSleep,
  isAtRest,
  nameOf,
  type ImportedObject,
  type Step,
} from '../../../src/import/plan/imported-object.ts'
import { byNamespace, planOfKubeGreen } from '../../../src/import/plan/kube-green-plan.ts'
import { InForce } from '../../../src/import/plan/in-force.ts'
import {
  expectedOf,
  forceOf,
  leftBy,
  objectsOf,
  RECORDED,
  TOOLS,
  type Expected,
  type Tool,
} from './recording.ts'

/** Sleepers that cannot be taken over, and the message's reason. */
const REFUSED: Readonly<Record<string, RegExp>> = {
  'deployment go-shop/weekday-excl': /alone at some hours of each week/,
  'deployment kg-patches/front': /patch of its SleepInfo.*"replicas":4/,
  'daemonset kg-patches/agent': /patch of its SleepInfo/,
  'daemonset kg-patches/gpu-agent': /patch of its SleepInfo.*"disktype":"ssd"/,
}

function planOf(tool: Tool): Step[] {
  return tool === 'kube-green'
    ? byNamespace(objectsOf(tool)).flatMap((each) => planOfKubeGreen(each, RECORDED, new InForce()))
    : planOfDownscaler(leftBy(tool), RECORDED, forceOf(leftBy(tool)))
}

const keyOf = ({ kind, namespace, name }: Expected) => `${kind.toLowerCase()} ${namespace}/${name}`
const annotationsIn = ({ patch }: Step): Record<string, unknown> => {
  const { annotations = {} } = (patch?.['metadata'] ?? {}) as { annotations?: Record<string, unknown> }
  return annotations
}

for (const tool of TOOLS)
  describe(`what ${tool} left asleep`, () => {
    const steps = planOf(tool)
    const byName = new Map(steps.map((step) => [nameOf(step.object), step]))
    const objects = new Map<string, ImportedObject>(objectsOf(tool).map((each) => [nameOf(each), each]))
    const workloads = expectedOf(tool).filter((each) => canSleep({ kind: each.kind } as ImportedObject))

    for (const each of workloads.filter(({ asleep }) => asleep)) {
      const name = keyOf(each)
      const reason = REFUSED[name]
      if (reason)
        it(`${name} is refused, and nothing of it is changed that could lose its count`, () => {
          const step = byName.get(name)
          expect(step?.verdict).to.equal('refused')
          expect(step?.says.join('; ')).to.match(reason)
          expect(step && annotationsIn(step)).to.satisfy((of: object) =>
            Object.keys(of).every((key) => key === 'dormouse.dev/enabled'),
          )
        })
      else
        it(`${name} is adopted asleep, with ${JSON.stringify(each.original)}`, () => {
          const step = byName.get(name)
          const count = each.lost ? 2 : (each.original?.replicas ?? 1)
          const annotations = step ? annotationsIn(step) : {}
          expect(annotations['dormouse.dev/request']).to.equal(`adopt ${count}`)
          expect(
            annotations['dormouse.dev/asleep-replicas'] ?? '0',
            'the count that it sleeps with',
          ).to.equal(String(each.found?.replicas ?? 0))
        })
    }

    it('wakes nothing: no patch changes a count, a suspension or a template of a workload', () => {
      for (const step of steps.filter(({ object }) => canSleep(object))) {
        const spec = (step.patch?.['spec'] ?? {}) as Record<string, unknown>
        // The second key of a DaemonSet goes; that which keeps it asleep stays, for the webhook to exchange.
        if (step.object.kind === 'DaemonSet') continue
        expect(Object.keys(spec), nameOf(step.object)).to.not.include.members(['replicas', 'suspend'])
      }
    })

    it('adopts none that the tool did not put to sleep', () => {
      // The Rollouts stand in no line: they had 4 replicas.
      const rollouts = [...objects.keys()].filter((name) => name.startsWith('rollout '))
      const asleep = new Set([...workloads.filter((each) => each.asleep).map(keyOf), ...rollouts])
      for (const step of steps) {
        if (!('dormouse.dev/request' in annotationsIn(step))) continue
        expect([...asleep]).to.include(nameOf(step.object))
        const object = objects.get(nameOf(step.object)) ?? step.object
        const rest = Number(annotationsIn(step)['dormouse.dev/asleep-replicas'] ?? 0)
        expect(isAtRest(object) || object.spec?.replicas === rest, nameOf(object)).to.equal(true)
      }
    })

    it('puts back what was changed of other kinds', () => {
      for (const each of expectedOf(tool).filter(
        (one) => one.asleep && !canSleep({ kind: one.kind } as ImportedObject),
      )) {
        const step = byName.get(keyOf(each))
        if (each.kind === 'Job') expect(step?.verdict).to.equal('refused')
        else if (each.kind !== 'ScaledObject') expect(step?.patch?.['spec']).to.deep.equal(each.original)
        else expect(step?.verdict).to.equal('mapped')
      }
    })
  })

import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { ASLEEP_LABEL } from '../../src/domain/workload/workload.ts'
import { eventually } from '../support/eventually.ts'
import type { Expected } from '../import/plan/recording.ts'
import { countOf, isTool, keyOf } from './left-behind.ts'
import { onMonday, type OldCluster } from './old-cluster.ts'

/**
 * Defines the tests that load the sleepers of another tool, import them, and see them sleep until Monday and then wake
 * with their counts. All objects are old, it is night, and for the downscalers the policy exists already.
 */
export function takenOver({ on, left, clock }: OldCluster): void {
  const adopted = new Set<string>()

  before('what it left is there', async function () {
    this.timeout(180_000)
    await left.load()
  })

  it('a dry run names each and changes nothing', async function () {
    this.timeout(120_000)
    const before = await marksOfAll()
    const { code, stdout, stderr } = await left.import(['--dry-run', '--partial'])
    expect(code, stderr).to.equal(0)
    for (const each of left.sleepers) expect(stdout).to.include(`${keyOf(each)}: `)
    expect(await marksOfAll()).to.deep.equal(before)
  })

  it('while the other tool runs nothing is changed, and the answer says how to stop it', async function () {
    this.timeout(120_000)
    const own = left.objects.find(isTool)
    if (!own) return
    const { namespace = '', name } = own.metadata
    await on().kubectl('rollout', 'status', `deployment/${name}`, '-n', namespace, '--timeout=60s')
    const { code, stderr } = await left.import(['--partial'])
    expect(code).to.equal(2)
    expect(stderr).to.include(`kubectl scale deployment ${name} -n ${namespace} --replicas 0`)
    await on().kubectl('scale', 'deployment', name, '-n', namespace, '--replicas', '0')
    await eventually('it to be gone', async () => {
      const { spec, status } = await left.read({ namespace, name, kind: 'Deployment' })
      return spec?.replicas === 0 && (status?.readyReplicas ?? 0) === 0
    })
  })

  it('without --partial nothing is changed while something is refused', async function () {
    this.timeout(120_000)
    const { stdout } = await left.import(['--dry-run'])
    if (!/^refused/m.test(stdout)) return
    const { code, stderr } = await left.import([])
    expect(code).to.equal(1)
    expect(stderr).to.include('nothing was changed')
  })

  it('takes all over asleep: none wakes, and each keeps its count', async function () {
    this.timeout(180_000)
    const { code, stdout, stderr } = await left.import(['--partial'])
    expect(code, stderr).to.equal(0)
    for (const each of left.sleepers)
      if (stdout.includes(`${keyOf(each)}: adopted asleep`)) adopted.add(keyOf(each))
    expect(adopted.size).to.be.above(left.sleepers.length / 2)
    for (const each of ofAdopted()) {
      const { labels } = (await left.read(each)).metadata
      expect(labels?.[ASLEEP_LABEL], keyOf(each)).to.equal(String(countOf(each)))
    }
    // Time for a wake that must not come.
    await pause(3000)
    for (const each of ofAdopted()) expect(await isAtRestNow(each), keyOf(each)).to.equal(true)
  })

  it('another time there is nothing left to adopt', async function () {
    this.timeout(120_000)
    const { code, stdout } = await left.import(['--partial'])
    expect(stdout).to.not.include('adopted asleep')
    // Without any SleepInfo there is nothing of kube-green.
    expect(code).to.be.oneOf([0, 2])
  })

  it('on Monday morning those with hours wake, as they were before', async function () {
    this.timeout(180_000)
    clock.moveTo(onMonday(11) - Date.now())
    const awake = ofAdopted().filter((each) => !NEVER.test(each.name))
    await eventually(
      'the morning',
      async () => {
        for (const each of awake) {
          const { spec } = await left.read(each)
          if (each.kind === 'CronJob') expect(spec?.suspend, keyOf(each)).to.equal(false)
          else if (each.kind === 'DaemonSet')
            expect(JSON.stringify(spec), keyOf(each)).to.not.include('match-none')
          else expect(spec?.replicas, keyOf(each)).to.equal(countOf(each))
        }
        return true
      },
      { timeout: 120_000, pause: 1000 },
    )
  })

  /** Workloads that no schedule wakes on a Monday at 11:00 in Berlin. */
  const NEVER = /never|overnight|forced|force-down|checkout|loader|wrap-days|bare|no-zone$/

  const ofAdopted = () => left.sleepers.filter((each) => adopted.has(keyOf(each)))

  async function isAtRestNow(each: Expected): Promise<boolean> {
    const { spec } = await left.read(each)
    if (each.kind === 'CronJob') return spec?.suspend === true
    if (each.kind === 'DaemonSet')
      return spec?.template?.spec?.nodeSelector?.['dormouse.dev/snoozed'] === 'true'
    return spec?.replicas === 0
  }

  /** The marks of people, tools and imports; Dormouse may still be putting workloads of its policy to sleep. */
  async function marksOfAll(): Promise<string[]> {
    const found = await Promise.all(left.sleepers.map((each) => left.read(each)))
    return found.map(({ metadata }) =>
      JSON.stringify(
        Object.entries(metadata.annotations ?? {}).filter(([name]) => !BY_CONTROLLERS.test(name)),
      ),
    )
  }
}

const BY_CONTROLLERS = /^(?:deployment|deprecated)\.|^dormouse\.dev\/(?:state|history)$/

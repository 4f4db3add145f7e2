import { expect } from 'chai'
import { inForce } from '../support/enforced.ts'
import { keyOf, type Imported } from './left-behind.ts'
import { onMonday, policiesOf, sundayNight, type OldCluster } from './old-cluster.ts'

/** When it is imported: while it sleeps by its hours, while it would be awake, and just before the hours begin. */
export const HOURS = {
  asleep: sundayNight(),
  awake: onMonday(11),
  edge: onMonday(8) - 3000,
} as const

export interface Cell {
  readonly hour: keyof typeof HOURS
  readonly grace: '0s' | '15m'
  /** Whether Dormouse has the policy before the import, or only afterwards: then it is repeated. */
  readonly policy: 'before' | 'after'
  /** After how many writes each import is killed that comes before the one that ends. */
  readonly kills?: readonly number[]
}

/** Defines a test for each cell: every count that the tool recorded is kept, and `--verify` says so. */
export function keepsEveryCount({ on, tool, here, clock, left }: OldCluster, cells: readonly Cell[]): void {
  for (const { hour, grace, policy, kills = [] } of cells)
    it(`${hour}, a grace of ${grace}, the policy ${policy} it, killed ${kills.length} times`, async function () {
      this.timeout(300_000)
      await restarted(policy === 'before', grace, HOURS[hour])
      await left.load({ isStopped: true })
      clock.moveTo(HOURS[hour] - Date.now())
      const runs: Imported[] = []
      const run = async (options?: { writes: number }) => {
        runs.push(await left.import(['--partial'], options))
        return runs.at(-1)
      }
      for (const writes of kills) {
        const ended = await run({ writes })
        // All together they may have done everything.
        if (kills.length === 1) expect(ended?.code).to.equal(1)
      }
      let done = await run()
      if (policy === 'after') {
        await restarted(true, grace, clock.now())
        done = await run()
      }
      // Without any SleepInfo there is nothing of kube-green.
      expect(done?.code, done?.stderr).to.be.oneOf(tool === 'kube-green' ? [0, 2] : [0])
      const adopted = left.sleepers.filter((each) =>
        runs.some(({ stdout }) => stdout.includes(`${keyOf(each)}: adopted asleep`)),
      )
      expect(adopted.length).to.be.above(left.sleepers.length / 2)
      const verified = await left.import(['--verify'])
      expect(verified.code, `${verified.stdout}${verified.stderr}`).to.equal(0)
      for (const each of adopted) expect(verified.stdout).to.match(new RegExp(`^kept +${keyOf(each)}:`, 'm'))
      expect(verified.stderr).to.match(/every count is kept: \d+ compared/)
      expect(await left.lost(adopted)).to.deep.equal([])
    })

  async function restarted(withPolicy: boolean, newWorkloadGrace: string, at: number): Promise<void> {
    await here.dormouse.terminate()
    clock.moveTo(at - Date.now())
    const { settings, port } = await here.another()
    here.balancer.to([port], { cut: true })
    await here.dormouse.start({ ...settings, newWorkloadGrace, ...(withPolicy && policiesOf(tool)) })
    await inForce(on(), here.namespace)
  }
}

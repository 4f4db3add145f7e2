import { annotated } from '../../test/support/manifests.ts'
import { deployments, fill, namesOf, withCluster, type BenchCluster } from '../measure/cluster.ts'
import { startDormouse } from '../measure/dormouse.ts'
import { mergePatches } from '../measure/patches.ts'
import { RawClient, type Sent, type Told } from '../measure/raw.ts'
import { compared } from '../report/comparison.ts'
import { perSecond } from '../report/figures.ts'
import type { Bar, Measured } from '../report/row.ts'
import { inRounds, type Context, type Found, type Scenario } from '../scenario.ts'

export const api: Scenario = {
  name: 'api',
  about: 'snooze and wake by the API beside a raw PATCH of equal objects, and a status beside a raw GET',
  minutes: 3,
  run: (context) => withCluster(context, (cluster) => requests(context, cluster)),
}

const ACTIONS = ['read', 'snooze', 'wake'] as const
type Action = (typeof ACTIONS)[number]
const WIDTHS = [1, 32] as const

interface Turn {
  readonly action: Action
  readonly inFlight: number
  readonly ours: Told
  readonly raw: Told
}

async function requests({ quick, rounds, say }: Context, cluster: BenchCluster): Promise<Found> {
  const count = quick ? 50 : 400
  say(`twice ${count} Deployments are created`)
  await fill(cluster, { namespace: 'ours', count, annotations: annotated() })
  await fill(cluster, { namespace: 'raw', count })
  const settings = { excludeNamespaces: ['raw'] }
  const dormouse = await startDormouse({ kubeconfig: cluster.kubeconfig, settings })
  const ours = await RawClient.connect({ url: dormouse.api })
  const raw = await RawClient.connect(cluster.admin)
  const turns: Turn[] = []
  try {
    await inRounds({ rounds, say }, async (counts) => {
      for (const inFlight of WIDTHS)
        for (const action of ACTIONS) {
          const turn = {
            action,
            inFlight,
            ours: await ours.send({ requests: calls(dormouse.tokens, count, action), inFlight }),
            raw: await raw.send({ requests: rawCalls(count, action), inFlight }),
          }
          if (counts) turns.push(turn)
        }
    })
  } finally {
    ours.stop()
    raw.stop()
    await dormouse.stop()
  }
  return { rows: WIDTHS.flatMap((width) => ACTIONS.flatMap((action) => rowsOf(turns, action, width, count))) }
}

/** The subjects take turns. */
function calls(tokens: readonly string[], count: number, action: Action): Sent[] {
  return namesOf(count).map((name, index): Sent => {
    const headers = { authorization: `Bearer ${tokens[index % tokens.length]}` }
    const path = `/api/v1/namespaces/ours/deployments/${name}`
    // Forced: they are more than the 19 operations an hour that may be configured.
    return action === 'read'
      ? { method: 'GET', path, headers }
      : { method: 'POST', path: `${path}/${action}${action === 'snooze' ? '?force=true' : ''}`, headers }
  })
}

function rawCalls(count: number, action: Action): Sent[] {
  if (action !== 'read') return mergePatches('raw', count, action === 'snooze' ? 'sleep' : 'wake')
  return namesOf(count).map((name): Sent => ({ method: 'GET', path: `${deployments('raw')}/${name}` }))
}

function rowsOf(all: readonly Turn[], action: Action, inFlight: number, count: number): Measured[] {
  const turns = all.filter((turn) => turn.action === action && turn.inFlight === inFlight)
  const how = inFlight === 1 ? 'one after the other' : `${inFlight} at once`
  const name = action === 'read' ? 'raw GET' : 'raw PATCH'
  const both = {
    what: `${action}, ${how}`,
    ours: turns.map(({ ours }) => ours),
    name,
    theirs: turns.map(({ raw }) => raw),
  }
  // Only writes have a bar: how long one takes, and how many at once.
  const judged = (bar: Bar | undefined) => (action === 'read' ? undefined : bar)
  const rate = ({ begun, ended }: Told) => perSecond(count, ended - begun)
  return [
    compared(both, {
      what: 'p50',
      unit: 'ms',
      get: ({ p50 }) => p50,
      bar: judged(inFlight === 1 ? { of: 'ratio', atMost: 1.4 } : undefined),
    }),
    compared(both, { what: 'p99', unit: 'ms', get: ({ p99 }) => p99 }),
    compared(both, {
      what: 'rate',
      unit: 'a second',
      get: rate,
      bar: judged(inFlight > 1 ? { of: 'ratio', atLeast: 0.75 } : undefined),
    }),
  ]
}

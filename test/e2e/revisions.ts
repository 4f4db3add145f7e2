import { ANNOTATION } from '../../src/domain/workload/workload.ts'
import { eventually } from '../support/eventually.ts'
import type { KubectlObject } from '../support/kubectl.ts'
import type { Served } from '../support/served.ts'

/** A Deployment's ReplicaSets, one for each revision. */
export function revisionsOf(here: Served, name: string): Promise<KubectlObject[]> {
  return here.list('replicasets', `?labelSelector=app%3D${name}`)
}

/** Rolls out a second revision, once the first has a copy of the Deployment's state that includes `text`. */
export async function rollOutSecond(here: Served, name: string, text = ''): Promise<void> {
  await eventually('the state to be copied to the first revision', async () =>
    (await revisionsOf(here, name)).every(({ metadata }) =>
      metadata.annotations?.[ANNOTATION.state]?.includes(text),
    ),
  )
  const second = { spec: { template: { metadata: { labels: { revision: '2' } } } } }
  await here.kubectl('patch', 'deployment', name, '-p', JSON.stringify(second))
  await eventually('a second revision', async () => (await revisionsOf(here, name)).length === 2)
}

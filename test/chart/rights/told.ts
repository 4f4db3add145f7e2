import { expect } from 'chai'
import type { Kind } from '../../../src/domain/workload/workload.ts'
import { CONFIGURATION } from '../../support/enforced.ts'
import { eventually } from '../../support/eventually.ts'
import { define, scaledObject, scaledObjectsIn } from '../../keda/operator.ts'
import type { Stage } from './stage.ts'

/**
 * Shows a failure of a Dormouse that was started without a right; resolves with its report: a warning of the log, an
 * answer of the API, or the output of a command. `missing`: a text that the report must contain.
 */
export type Told = (stage: Stage, missing: string) => Promise<string>

/** A warning with this message that names the missing right. */
export function logged(message: string): Told {
  return (stage, missing) =>
    eventually(`"${message}", and that Dormouse ${missing}`, () =>
      stage.log.find((line) => line.includes(message) && plain(line).includes(missing)),
    ).then(plain)
}

/** A line of the log without the backslashes of JSON. */
function plain(line: string): string {
  return line.replaceAll(String.raw`\"`, '"')
}

/** The API refuses this for a workload of the kind: 502, with the cluster's message. */
export function refused(kind: Kind, action: string): Told {
  return async (stage) => {
    const { status, body } = await (await stage.workload(kind)).attempt('POST', action)
    expect(status).to.equal(502)
    return body.error.message
  }
}

/** The API answers with the advice to retry; only the log says why. */
export async function unavailable(stage: Stage, missing: string): Promise<string> {
  const { status, body } = await (await stage.workload('deployments')).attempt('GET', '')
  expect(status).to.equal(503)
  expect(body.error.message).to.include('the cluster does not say now who you are and what you may do')
  return logged('cluster failed a request')(stage, missing)
}

/** Puts a workload to sleep and wakes it: two Events, the same each time. */
export async function cycle(stage: Stage): Promise<void> {
  const workload = await stage.workload('deployments')
  await workload.snooze('?wait=20s')
  await workload.wake('?wait=20s')
}

/** Leaves the webhook configuration with something to put right. */
export function disown(stage: Stage): Promise<unknown> {
  return stage.on().admin.expect('PATCH', CONFIGURATION, { metadata: { ownerReferences: null } })
}

/** A ScaledObject of no workload that carries our mark, which is to go. */
export async function marked({ on }: Pick<Stage, 'on'>): Promise<unknown> {
  await define(on())
  const annotations = { 'autoscaling.keda.sh/paused-replicas': '0', 'dormouse.dev/paused': '' }
  const object = scaledObject('marked', { type: 'none' }, { target: 'nothing', min: 0, annotations })
  return eventually('ScaledObjects to be served', async () => {
    const { status } = await on().admin.send('POST', scaledObjectsIn('default'), object)
    return status === 201 || status === 409
  })
}

/** An HPA of no workload whose minimum was lowered, which is to go back: it is found at the start. */
export async function lowered({ on }: Pick<Stage, 'on'>): Promise<unknown> {
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'nothing' }
  return on().admin.send('POST', '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers', {
    metadata: { name: 'lowered', annotations: { 'dormouse.dev/paused': '[1,3]' } },
    spec: { scaleTargetRef, minReplicas: 1, maxReplicas: 5 },
  })
}

/** The Deployment sleeps, and traffic to it is led to wakers. */
export async function asleepWithSlice(stage: Stage): Promise<void> {
  await stage.start()
  await (await stage.workload('deployments')).snooze('?wait=20s')
  await eventually('a slice', async () => {
    expect(await stage.slices(), stage.log.join('')).not.to.deep.equal([])
    return true
  })
  await stage.stop()
}

/** Its slice leads elsewhere. */
export async function editedSlice(stage: Stage): Promise<void> {
  await asleepWithSlice(stage)
  for (const name of await stage.slices())
    await stage.on().admin.expect('PATCH', `${stage.slicesPath}/${name}`, { ports: [] })
}

export async function awakeWithoutSlice(stage: Stage): Promise<void> {
  await stage.start()
  await (await stage.workload('deployments')).wake('?wait=20s')
  await eventually('no slice', async () => (await stage.slices()).length === 0)
  await stage.stop()
}

/** It is not put right. */
export async function unowned(stage: Stage, missing: string): Promise<string> {
  const told = await logged('the webhook configuration could not be put right')(stage, missing)
  const { metadata } = await stage.on().admin.expect('GET', CONFIGURATION)
  expect(metadata?.['ownerReferences']).to.equal(undefined)
  return told
}

/** The path of the certificates' Secret. */
export function secretOf({ namespace }: Stage): string {
  return `/api/v1/namespaces/${namespace}/secrets/dormouse-webhook`
}

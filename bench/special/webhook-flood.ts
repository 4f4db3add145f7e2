import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { Agent, request } from 'undici'
import type { WorkloadKey } from '../../src/domain/workload/workload.ts'
import { quantile } from '../../test/support/figures.ts'
import { flood, sendEvenly } from '../../test/support/load.ts'
import { mostExpensiveReviews, reviewBody, scaling, updating } from '../../test/support/reviews.ts'
import { startService } from './measured-service.ts'

/**
 * How forged reviews of the largest size affect real ones: `npm run bench -- webhook-flood [seconds]`. The program runs
 * over the sandbox; 16 connections send forged reviews while 50 real ones a second and a large one every two seconds
 * are answered.
 */
const SECONDS = Number(process.argv[2] ?? 60)
const CALM_SECONDS = 10
const FORGERS = 16
const PER_SECOND = 50
const MIB = 1024 * 1024

type Task = { readonly url: string; readonly seconds: number; readonly workload: Reviewed }

/** The workload that real reviews are about. */
interface Reviewed extends WorkloadKey {
  readonly uid: string
  readonly resourceVersion: string
  readonly replicas: number
}

interface RealFigures {
  readonly small: number[]
  readonly large: number[]
  readonly failures: string[]
}

/** Sends the most expensive reviews, one after another on each connection; how often each answer came. */
async function forge(url: string, seconds: number): Promise<Record<string, number>> {
  const bodies = mostExpensiveReviews().map((body) => Buffer.from(body))
  const dispatchers = Array.from(
    { length: FORGERS },
    () => new Agent({ connections: 1, connect: { rejectUnauthorized: false } }),
  )
  const answers = await flood(FORGERS, AbortSignal.timeout(seconds * 1000), async (client) => {
    try {
      const [body, dispatcher] = [bodies[client % 2] ?? '', dispatchers[client]]
      const options = { method: 'POST', body, ...(dispatcher && { dispatcher }) } as const
      const answer = await request(`${url}/webhook/workloads`, options)
      await answer.body.dump()
      return answer.statusCode
    } catch {
      return 'cut'
    }
  })
  await Promise.all(dispatchers.map((dispatcher) => dispatcher.destroy()))
  return answers
}

/** Sends real reviews at an even rate. */
async function real({ url, seconds, workload }: Task): Promise<RealFigures> {
  const dispatcher = new Agent({ connections: 32, connect: { rejectUnauthorized: false } })
  const figures: RealFigures = { small: [], large: [], failures: [] }
  const ask = async (path: string, uid: string, review: object, times: number[], allowed: boolean) => {
    const begun = performance.now()
    try {
      const body = reviewBody(review)
      const answer = await request(url + path, { method: 'POST', body, dispatcher })
      const { response } = (await answer.body.json()) as { response?: { uid: string; allowed: boolean } }
      times.push(performance.now() - begun)
      if (response?.uid !== uid || response.allowed !== allowed)
        figures.failures.push(`${uid}: ${answer.statusCode} ${JSON.stringify(response)}`)
    } catch (error) {
      figures.failures.push(`${uid}: ${String(error)}`)
    }
  }
  const annotations = { padding: 'a'.repeat(1.5 * MIB) }
  await sendEvenly(seconds * PER_SECOND, PER_SECOND, async (index) => {
    const uid = `review-${index}`
    const small = ask('/webhook/scale', uid, scaling(workload, 5, { uid }), figures.small, false)
    if (index % (2 * PER_SECOND) === 0)
      await ask('/webhook/workloads', uid, updating(workload, { annotations }, { uid }), figures.large, true)
    await small
  })
  await dispatcher.destroy()
  return figures
}

async function run<Answer>(task: Task): Promise<Answer> {
  const [answer] = (await once(new Worker(new URL(import.meta.url), { workerData: task }), 'message')) as [
    Answer,
  ]
  return answer
}

function cell(values: readonly number[], q: number): string {
  return `${quantile(values, q).toFixed(1)} ms`
}

async function measure(): Promise<void> {
  const service = await startService(1)
  const { program, cluster, url } = service
  for (const action of ['enable', 'pin'])
    await service.post(`/api/v1/namespaces/shop/deployments/web-0/${action}`)
  await sleep(2000)
  const path = '/apis/apps/v1/namespaces/shop/deployments/web-0'
  const { metadata } = (await cluster.admin.expect('GET', path)) as unknown as { metadata: Reviewed }
  const workload: Reviewed = {
    kind: 'deployments',
    namespace: 'shop',
    name: 'web-0',
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    replicas: 3,
  }
  const phase = async (name: string, seconds: number, flood: boolean) => {
    await program.loopDelay()
    const forging = flood ? forgeApart(url, seconds + 1) : undefined
    const figures = await run<RealFigures>({ url, seconds, workload })
    const { max, maxRunning, p99 } = await program.loopDelay()
    const answers = await forging
    const { now, peak } = await program.memory()
    const lost = program.log.filter((line) => /leads no longer/.test(line)).length
    process.stdout.write(`\n${name}, ${seconds} s\n`)
    console.table({
      'real reviews': `${figures.small.length}: p50 ${cell(figures.small, 0.5)}, p99 ${cell(figures.small, 0.99)}, max ${cell(figures.small, 1)}`,
      'real reviews of 3 MiB': `${figures.large.length}: p50 ${cell(figures.large, 0.5)}, max ${cell(figures.large, 1)}`,
      'of them failed': `${figures.failures.length} ${figures.failures[0]?.slice(0, 120) ?? ''}`,
      'forged, by answer': JSON.stringify(answers ?? {}),
      'event loop': `longest pause ${max.toFixed(1)} ms (${maxRunning.toFixed(1)} ms of running), p99 ${p99.toFixed(1)} ms`,
      'Lease lost': String(lost),
      memory: `${now.toFixed(0)} MB now, ${peak.toFixed(0)} MB at the most`,
    })
  }
  process.stdout.write(`Node ${process.version}, ${FORGERS} forgers, ${PER_SECOND} real reviews a second\n`)
  await phase('calm', CALM_SECONDS, false)
  await phase('flooded', SECONDS, true)
  const stopped = await program.stop()
  process.stdout.write(`SIGTERM to the end: ${stopped?.toFixed(0) ?? 'never'} ms\n`)
  await service.stop()
}

/** Forges in a process of low priority: real forgers do not share a machine with their target. */
async function forgeApart(url: string, seconds: number): Promise<Record<string, number>> {
  const forger = fork(new URL(import.meta.url), ['forge', url, String(seconds)])
  const [answers] = (await once(forger, 'message')) as [Record<string, number>]
  return answers
}

const [, , role, url = '', seconds] = process.argv
if (!isMainThread) {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker's port has no origin
  parentPort?.postMessage(await real(workerData as Task))
} else if (role === 'forge') {
  setPriority(19)
  process.send?.(await forge(url, Number(seconds)))
  process.disconnect()
} else await measure()

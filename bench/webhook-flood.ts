import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { Agent, request } from 'undici'
import { ANNOTATION, type WorkloadKey } from '../src/domain/workload.ts'
import { startService } from './measured-service.ts'

/**
 * What forged reviews of the largest size do to real ones: `node bench/webhook-flood.ts [seconds]`. The program
 * runs over the sandbox; 16 connections send maximal reviews while 50 real ones a second and a large one every
 * two seconds are answered.
 */
const SECONDS = Number(process.argv[2] ?? 60)
const CALM_SECONDS = 10
const FORGERS = 16
const PER_SECOND = 50
const LABELS = 230_000
const MIB = 1024 * 1024

type Task = { readonly url: string; readonly seconds: number; readonly real: RealOne }

/** What a real review of scaling carries. */
interface RealOne extends WorkloadKey {
  readonly uid: string
  readonly resourceVersion: string
}

interface RealFigures {
  readonly small: number[]
  readonly large: number[]
  readonly failures: string[]
}

const deployments = { group: 'apps', version: 'v1', resource: 'deployments' }

function review(fields: object): string {
  return JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: fields })
}

function scaling({ namespace, name, uid, resourceVersion }: RealOne, id: string): string {
  const metadata = { namespace, name, uid, resourceVersion }
  const scale = (replicas: number) => ({
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata,
    spec: { replicas },
  })
  return review({
    uid: id,
    operation: 'UPDATE',
    namespace,
    name,
    resource: deployments,
    subResource: 'scale',
    userInfo: { username: 'jane' },
    options: { fieldManager: 'kubectl' },
    object: scale(5),
    oldObject: scale(3),
  })
}

/** An update of a Deployment whose review has `annotation` characters of annotations twice. */
function updating(
  { namespace, name, uid, resourceVersion }: RealOne,
  id: string,
  annotation: number,
): string {
  const object = (note: string) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      namespace,
      name,
      uid,
      resourceVersion,
      annotations: { [ANNOTATION.timezone]: 'UTC', note, padding: 'a'.repeat(annotation) },
    },
    spec: { replicas: 3 },
  })
  return review({
    uid: id,
    operation: 'UPDATE',
    namespace,
    name,
    resource: deployments,
    userInfo: { username: 'jane' },
    object: object('new'),
    oldObject: object('old'),
  })
}

/** About 5.5 MiB: `LABELS` labels in both objects. */
function labelled(): string {
  const labels = Object.fromEntries(Array.from({ length: LABELS }, (_, index) => [`l${index}`, '']))
  const object = (note: string) => ({
    metadata: {
      name: 'web',
      namespace: 'shop',
      uid: 'u',
      resourceVersion: '1',
      annotations: { [ANNOTATION.timezone]: note },
      labels,
    },
    spec: { replicas: 3 },
  })
  return review({
    uid: 'forged',
    operation: 'UPDATE',
    namespace: 'shop',
    name: 'web',
    resource: deployments,
    userInfo: { username: 'mallory' },
    object: object('UTC'),
    oldObject: object('Europe/Berlin'),
  })
}

/** Just below 8 MiB of `{}`. */
function dense(): string {
  const [before = '', after = ''] = review({
    uid: 'forged',
    operation: 'UPDATE',
    namespace: 'shop',
    name: 'web',
    resource: deployments,
    userInfo: { username: 'mallory' },
    object: '#',
  }).split('"#"')
  const count = Math.floor((8 * MIB - before.length - after.length - 2) / 3)
  return `${before}[${Array.from({ length: count }, () => '{}').join(',')}]${after}`
}

/** Sends maximal reviews, one after another on each connection; how many were sent, and how they were answered. */
async function forge(url: string, seconds: number): Promise<Record<string, number>> {
  const bodies = [Buffer.from(labelled()), Buffer.from(dense())]
  const until = performance.now() + seconds * 1000
  const answers: Record<string, number> = {}
  const count = (key: string) => (answers[key] = (answers[key] ?? 0) + 1)
  const forger = async (index: number) => {
    const dispatcher = new Agent({ connections: 1, connect: { rejectUnauthorized: false } })
    while (performance.now() < until) {
      try {
        const body = bodies[index % 2] ?? ''
        const answer = await request(`${url}/webhook/workloads`, { method: 'POST', body, dispatcher })
        await answer.body.dump()
        count(String(answer.statusCode))
      } catch {
        count('cut')
      }
    }
    await dispatcher.destroy()
  }
  await Promise.all(Array.from({ length: FORGERS }, (_, index) => forger(index)))
  return answers
}

/** Sends real reviews at an even rate, whether the ones before were answered or not. */
async function real({ url, seconds, real: one }: Task): Promise<RealFigures> {
  const dispatcher = new Agent({ connections: 32, connect: { rejectUnauthorized: false } })
  const figures: RealFigures = { small: [], large: [], failures: [] }
  const ask = async (path: string, id: string, body: string, times: number[], allowed: boolean) => {
    const begun = performance.now()
    try {
      const answer = await request(url + path, { method: 'POST', body, dispatcher })
      const { response } = (await answer.body.json()) as { response?: { uid: string; allowed: boolean } }
      times.push(performance.now() - begun)
      if (response?.uid !== id || response.allowed !== allowed)
        figures.failures.push(`${id}: ${answer.statusCode} ${JSON.stringify(response)}`)
    } catch (error) {
      figures.failures.push(`${id}: ${String(error)}`)
    }
  }
  const asked: Promise<void>[] = []
  const begun = performance.now()
  for (let index = 0; index < seconds * PER_SECOND; index++) {
    const id = `review-${index}`
    asked.push(ask('/webhook/scale', id, scaling(one, id), figures.small, false))
    if (index % (2 * PER_SECOND) === 0)
      asked.push(
        ask(
          '/webhook/workloads',
          `large-${index}`,
          updating(one, `large-${index}`, 1.5 * MIB),
          figures.large,
          true,
        ),
      )
    await sleep(Math.max(0, begun + ((index + 1) * 1000) / PER_SECOND - performance.now()))
  }
  await Promise.all(asked)
  await dispatcher.destroy()
  return figures
}

async function run<Answer>(task: Task): Promise<Answer> {
  const [answer] = (await once(new Worker(new URL(import.meta.url), { workerData: task }), 'message')) as [
    Answer,
  ]
  return answer
}

function quantile(values: readonly number[], q: number): string {
  const sorted = values.toSorted((a, b) => a - b)
  return `${(sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)] ?? Number.NaN).toFixed(1)} ms`
}

async function measure(): Promise<void> {
  const service = await startService(1)
  const { program, cluster, url } = service
  for (const action of ['enable', 'pin'])
    await service.post(`/api/v1/namespaces/shop/deployments/web-0/${action}`)
  await sleep(2000)
  const path = '/apis/apps/v1/namespaces/shop/deployments/web-0'
  const { metadata } = (await cluster.admin.expect('GET', path)) as unknown as { metadata: RealOne }
  const one: RealOne = {
    kind: 'deployments',
    namespace: 'shop',
    name: 'web-0',
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
  }
  const phase = async (name: string, seconds: number, flood: boolean) => {
    await program.loopDelay()
    const forging = flood ? forgeApart(url, seconds + 1) : undefined
    const figures = await run<RealFigures>({ url, seconds, real: one })
    const { max, maxRunning, p99 } = await program.loopDelay()
    const answers = await forging
    const { now, peak } = await program.memory()
    const lost = program.log.filter((line) => /leads no longer/.test(line)).length
    process.stdout.write(`\n${name}, ${seconds} s\n`)
    console.table({
      'real reviews': `${figures.small.length}: p50 ${quantile(figures.small, 0.5)}, p99 ${quantile(figures.small, 0.99)}, max ${quantile(figures.small, 1)}`,
      'real reviews of 3 MiB': `${figures.large.length}: p50 ${quantile(figures.large, 0.5)}, max ${quantile(figures.large, 1)}`,
      'of them failed': `${figures.failures.length} ${figures.failures[0]?.slice(0, 120) ?? ''}`,
      'forged, by answer': JSON.stringify(answers ?? {}),
      'event loop': `longest pause ${max.toFixed(1)} ms (${maxRunning.toFixed(1)} ms of running), p99 ${p99.toFixed(1)} ms`,
      'Lease lost': String(lost),
      memory: `${now.toFixed(0)} MiB now, ${peak.toFixed(0)} MiB at the most`,
    })
  }
  process.stdout.write(`Node ${process.version}, ${FORGERS} forgers, ${PER_SECOND} real reviews a second\n`)
  await phase('calm', CALM_SECONDS, false)
  await phase('flooded', SECONDS, true)
  const stopped = await program.stop()
  process.stdout.write(`SIGTERM to the end: ${stopped?.toFixed(0) ?? 'never'} ms\n`)
  await service.stop()
}

/** In a process of its own that yields to the others: forgers do not share the machine that they attack. */
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

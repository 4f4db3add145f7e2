import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ANNOTATION, ASLEEP_LABEL } from '../../src/domain/workload/workload.ts'
import { freePorts } from '../control-plane/ports.ts'
import { refusal } from '../faults/faults.ts'
import { AdmissionServer, CONFIGURATIONS } from '../support/admission-server.ts'
import { icsOf } from '../service/calendars/ics-text.ts'
import { eventually } from '../support/eventually.ts'
import { sumOf } from '../support/metrics-text.ts'
import { annotated } from '../support/manifests.ts'
import { asleepNow, awakeNow } from '../support/schedules.ts'
import { Stage } from './stage.ts'

/** A fault injected into the running program or its cluster, and the alert that must come up. */
interface Provocation {
  readonly alert: string
  /** For the printed table. */
  readonly how: string
  /** undefined: the fault of the entry before causes this alert too. */
  readonly provoke?: () => Promise<void>
}

/** A stage, the faults to inject there, and what else has to be stopped. */
export interface Scene {
  readonly stage: Stage
  readonly provocations: readonly Provocation[]
  readonly stop?: () => Promise<void>
}

const LEASE = '/apis/coordination.k8s.io/v1/namespaces/default/leases/dormouse'

/** Another admission webhook denies every wake. */
export async function refusedWakes(): Promise<Scene> {
  const stage = await Stage.start('refused wakes')
  const policy = await AdmissionServer.start(({ object, oldObject }) => ({
    allowed: (object.spec?.replicas ?? 0) <= (oldObject?.spec?.replicas ?? 0),
  }))
  await stage.asleep('deployments', 'web')
  const provoke = async () => {
    const { admin } = stage.cluster
    const rule = { operations: ['UPDATE'], apiGroups: ['apps'], apiVersions: ['v1'] }
    const resources = ['deployments', 'deployments/scale']
    const webhook = policy.webhook({ name: 'policy.example.com', rules: [{ ...rule, resources }] })
    await admin.expect('POST', CONFIGURATIONS, { metadata: { name: 'policy' }, webhooks: [webhook] })
    await stage.annotate('deployments', 'web', annotated(awakeNow()))
  }
  return {
    stage,
    provocations: [
      { alert: 'DormouseWakesFailed', how: "another's webhook refuses a wake, and its second try", provoke },
    ],
    stop: async () => policy.close(),
  }
}

/** Dormouse's role lacks permissions. */
export async function forbidden(): Promise<Scene> {
  const stage = await Stage.start('forbidden')
  await stage.asleep('statefulsets', 'db')
  const { proxy } = stage
  const forbid = (what: { verb: 'list' | 'watch' } | { writes: true }, resource: string) =>
    proxy.onCall({ ...what, resource, times: Infinity }, refusal(403))
  return {
    stage,
    provocations: [
      {
        alert: 'DormouseWakesOverdue',
        how: 'every write of StatefulSets by Dormouse is answered 403',
        async provoke() {
          forbid({ writes: true }, 'statefulsets')
          await stage.annotate('statefulsets', 'db', annotated(awakeNow()))
        },
      },
      {
        alert: 'DormouseSnoozesOverdue',
        how: 'every write of Deployments by Dormouse is answered 403',
        async provoke() {
          forbid({ writes: true }, 'deployments')
          await stage.create('deployments', 'web', annotated(asleepNow()))
        },
      },
      {
        alert: 'DormouseWatchDown',
        how: 'its watches are cut, and DaemonSets are answered 403 from then on',
        async provoke() {
          forbid({ verb: 'list' }, 'daemonsets')
          forbid({ verb: 'watch' }, 'daemonsets')
          for (const watch of proxy.watches()) watch.cut()
        },
      },
    ],
  }
}

/** Workloads that are broken, or that somebody else keeps changing. */
export async function troubled(): Promise<Scene> {
  const stage = await Stage.start('troubled', {
    settings: { operationTimeout: '1s', controller: { writesPerWorkload: 3 } },
    preload: new URL('planted-bug.ts', import.meta.url).href,
    readyAfterMs: 3_600_000,
  })
  const late = ['late-1', 'late-2', 'late-3']
  for (const name of [...late, 'fought-over']) await stage.asleep('deployments', name)
  return {
    stage,
    provocations: [
      {
        alert: 'DormouseWorkloadsUnreadable',
        how: 'somebody writes a broken dormouse.dev/state',
        provoke: () => stage.create('statefulsets', 'broken', { [ANNOTATION.state]: '{' }),
      },
      {
        alert: 'DormouseInternalFailures',
        how: 'a bug planted into the running program: deciding on one workload throws',
        provoke: () => stage.create('statefulsets', 'planted-bug', annotated(asleepNow())),
      },
      {
        alert: 'DormouseWakesTimedOut',
        how: 'three workloads wake whose pods never become ready',
        async provoke() {
          for (const name of late) await stage.annotate('deployments', name, annotated(awakeNow()))
        },
      },
      { alert: 'DormouseWorkloadsLate', how: 'the same' },
      {
        alert: 'DormouseTooManyWrites',
        how: 'somebody puts a label wrong after every write',
        async provoke() {
          for (let times = 0; times < 4; times += 1) {
            await eventually('it to be put right, or the write to be withheld', async () => {
              const { metadata } = await stage.get('deployments', 'fought-over')
              const withheld = sumOf(await stage.dormouse.metrics(), 'dormouse_writes_withheld_total')
              return metadata.labels?.[ASLEEP_LABEL] === '1' || withheld > 0
            })
            await stage.patch(stage.path('deployments', 'fought-over'), {
              metadata: { labels: { [ASLEEP_LABEL]: '7' } },
            })
          }
        },
      },
    ],
  }
}

/** An autoscaler wakes what is asleep, and a calendar's file breaks. */
export async function disturbed(): Promise<Scene> {
  const directory = await mkdtemp(join(tmpdir(), 'dormouse-calendar-'))
  const file = join(directory, 'company.ics')
  await writeFile(file, icsOf())
  const stage = await Stage.start('disturbed', { settings: { calendars: { company: { files: [file] } } } })
  await stage.asleep('deployments', 'autoscaled')
  const scale = `${stage.path('deployments', 'autoscaled')}/scale?fieldManager=kube-controller-manager`
  return {
    stage,
    provocations: [
      {
        alert: 'DormouseAutoscalerFights',
        how: 'an HPA wakes a sleeper, and once more when it was put back',
        async provoke() {
          for (let times = 0; times < 2; times += 1) {
            await eventually('it to be asleep', async () => {
              const { spec } = await stage.get('deployments', 'autoscaled')
              return spec.replicas === 0
            })
            await stage.patch(scale, { spec: { replicas: 1 } })
          }
        },
      },
      {
        alert: 'DormouseCalendarUnreadable',
        how: 'its file is half-written',
        provoke: () => writeFile(file, icsOf().slice(0, 30)),
      },
    ],
    stop: () => rm(directory, { recursive: true, force: true }),
  }
}

/** Wake on traffic is switched on, and no waker runs. */
export async function wakerless(): Promise<Scene> {
  const stage = await Stage.start('wakerless', { settings: { waker: { enabled: true } } })
  return { stage, provocations: [{ alert: 'DormouseNoWaker', how: 'no waker runs' }] }
}

/** Another holder has the Lease. */
export async function leaderless(): Promise<Scene> {
  const stage = await Stage.start('leaderless')
  const taken = { holderIdentity: 'somebody-else', leaseDurationSeconds: 3600 }
  return {
    stage,
    provocations: [
      {
        alert: 'DormouseNoLeader',
        how: 'the Lease is given to a holder that does not exist, for an hour',
        provoke: async () => void (await stage.patch(LEASE, { spec: taken })),
      },
    ],
  }
}

/** Somebody has run `dormouse release --all`. */
export async function released(): Promise<Scene> {
  const stage = await Stage.start('released')
  const now = new Date().toISOString().replace('Z', '000Z')
  const mark = { holderIdentity: 'released by ana', leaseDurationSeconds: 3600, acquireTime: now }
  return {
    stage,
    provocations: [
      {
        alert: 'DormouseReleased',
        how: 'the Lease is marked as by `dormouse release --all`',
        provoke: async () => void (await stage.patch(LEASE, { spec: mark })),
      },
    ],
  }
}

/** A replica that is killed. */
export async function crashed(): Promise<Scene> {
  const stage = await Stage.start('crashed')
  const provoke = () => stage.dormouse.kill()
  return {
    stage,
    provocations: [{ alert: 'DormouseReplicaDown', how: 'the only replica is killed (SIGKILL)', provoke }],
  }
}

/** The webhook with a short-lived certificate, and an API server whose watches and reads fail. */
export async function blindWebhook(): Promise<Scene> {
  const [port] = await freePorts(1)
  const certificates = { leafLifetime: '30m' }
  const webhook = { port, url: `https://127.0.0.1:${port}`, certificates }
  const stage = await Stage.start('blind webhook', { settings: { webhook } })
  const { admin } = stage.cluster
  await stage.create('deployments', 'web')
  const provoke = async () => {
    // Its cached copy is old, and a live read takes long and fails.
    stage.proxy.freeze('deployments')
    await stage.annotate('deployments', 'web', { note: 'new' })
    const reads = { verb: 'get', resource: 'deployments', name: 'web', times: Infinity } as const
    stage.proxy.onCall(reads, { type: 'delay', stage: 'before', milliseconds: 1500 })
    stage.proxy.onCall(reads, refusal(500))
    const scale = `${stage.path('deployments', 'web')}/scale`
    for (let replicas = 2; replicas < 6; replicas += 1) await stage.patch(scale, { spec: { replicas } })
  }
  await eventually('the webhook to be asked', async () => {
    const collection = stage.path('deployments', '').slice(0, -1)
    const metadata = { name: 'probe', annotations: { [ANNOTATION.enabled]: 'perhaps' } }
    const { status } = await admin.send('POST', `${collection}?dryRun=All`, { metadata, spec: {} })
    return status === 403
  })
  return {
    stage,
    provocations: [
      { alert: 'DormouseCertificateExpiring', how: 'a leaf of 30 minutes (leafLifetime)' },
      { alert: 'DormouseCertificateExpired', how: 'the same: less than an hour is left' },
      { alert: 'DormouseWebhookErrors', how: 'its live reads take 1.5 s and are answered 500', provoke },
      { alert: 'DormouseWebhookSlow', how: 'the same' },
    ],
  }
}

/** Nobody listens at the webhook's address. */
export async function unreached(): Promise<Scene> {
  const [port, nowhere] = await freePorts(2)
  const stage = await Stage.start('unreached', {
    settings: { webhook: { port, url: `https://127.0.0.1:${nowhere}` } },
  })
  return {
    stage,
    provocations: [
      { alert: 'DormouseWebhookUnproven', how: 'webhook.url leads to a port where nobody listens' },
    ],
  }
}

/** Alerts that are up from the start: the stage's settings cause them. */
export const FROM_THE_START: ReadonlySet<string> = new Set([
  'DormouseNoWaker',
  'DormouseCertificateExpiring',
  'DormouseCertificateExpired',
  'DormouseWebhookUnproven',
])

/** The API server is down for more than a minute after an edge. */
export async function late(): Promise<Scene> {
  const stage = await Stage.start('late', {
    settings: { newWorkloadGrace: '10s', controller: { lease: { duration: '180s', renew: '170s' } } },
  })
  return {
    stage,
    provocations: [
      {
        alert: 'DormouseSchedulesLate',
        how: 'the API server is away for 65 s after an edge',
        async provoke() {
          await stage.create('deployments', 'web', annotated(asleepNow()))
          await sleep(2000)
          const back = stage.proxy.away()
          await sleep(75_000)
          back()
        },
      },
    ],
  }
}

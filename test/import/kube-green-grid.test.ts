import { expect } from 'chai'
import { nameOf, type ImportedObject } from '../../src/import/plan/imported-object.ts'
import { ASLEEP_LABEL } from '../../src/domain/annotations.ts'
import { expectSameResult } from './documents.ts'
import { imported, MOMENTS, stored, type Moment, type Objects } from './import-cluster.ts'
import { Served } from './served.ts'

const BERLIN = { timeZone: 'Europe/Berlin' }
const NIGHTS = { weekdays: '1-5', sleepAt: '20:00', wakeUpAt: '08:00', ...BERLIN }
const HOURS = '8:00-20:00,Mon-Fri (Europe/Berlin)'
const WEB = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }
const API = { ...WEB, name: 'api' }
const toZero = (kind: string, replicas = 0) => ({
  target: { group: 'apps', kind },
  patch: `- op: add\n  path: /spec/replicas\n  value: ${replicas}`,
})
const LABELS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  web: { app: 'web', tier: 'front' },
  api: { app: 'api', tier: 'keep' },
}

/** One of kube-green's documented forms. */
interface Form {
  /** The first one has put everything to sleep that it means, unless `of` says which did. */
  readonly infos: readonly object[]
  /** Those that sleep by night. */
  readonly sleep: readonly string[]
  /** By the place of its SleepInfo, where that is another. */
  readonly of?: Readonly<Record<string, number>>
  readonly hours?: string
  /** Parts of the names that are approximated; nothing: all is as it was. */
  readonly approximated?: RegExp
  /** The things that are left to a person. */
  readonly refused?: RegExp
}

const ALL = ['web', 'api', 'db']
const FORMS: Readonly<Record<string, Form>> = {
  'days as a range': { infos: [NIGHTS], sleep: ALL },
  'days one by one': { infos: [{ ...NIGHTS, weekdays: '1,2,3,4,5' }], sleep: ALL },
  'days by name': { infos: [{ ...NIGHTS, weekdays: 'mon-fri' }], sleep: ALL },
  'every day': { infos: [{ ...NIGHTS, weekdays: '*' }], sleep: ALL, hours: '8:00-20:00 (Europe/Berlin)' },
  'no zone': {
    infos: [{ weekdays: '1-5', sleepAt: '20:00', wakeUpAt: '08:00' }],
    sleep: ALL,
    hours: '8:00-20:00,Mon-Fri (UTC)',
  },
  'several sleeps a day': { infos: [{ ...NIGHTS, sleepAt: '20,22:00' }], sleep: ALL },
  'no Deployments': {
    infos: [{ ...NIGHTS, suspendDeployments: false }],
    sleep: ['db'],
    approximated: /sleepinfo/,
  },
  'no StatefulSets': {
    infos: [{ ...NIGHTS, suspendStatefulSets: false }],
    sleep: ['web', 'api'],
    approximated: /sleepinfo/,
  },
  CronJobs: {
    infos: [{ ...NIGHTS, suspendCronJobs: true }],
    sleep: [...ALL, 'report'],
    approximated: /sleepinfo/,
  },
  'excludeRef by name': { infos: [{ ...NIGHTS, excludeRef: [API] }], sleep: ['web', 'db'] },
  'excludeRef by an older version': {
    infos: [{ ...NIGHTS, excludeRef: [{ ...API, apiVersion: 'apps/v1beta2' }] }],
    sleep: ['web', 'db'],
  },
  'excludeRef by label': {
    infos: [{ ...NIGHTS, excludeRef: [{ matchLabels: { tier: 'keep' } }] }],
    sleep: ['web', 'db'],
    approximated: /namespace/,
  },
  'excludeRef by labels, of which each excludes': {
    infos: [{ ...NIGHTS, excludeRef: [{ matchLabels: { tier: 'keep', app: 'other' } }] }],
    sleep: ['web', 'db'],
    approximated: /namespace/,
  },
  'includeRef by name, which limits its kind alone': {
    infos: [{ ...NIGHTS, includeRef: [WEB] }],
    sleep: ['web', 'db'],
    approximated: /sleepinfo/,
  },
  'includeRef by labels, of which all must be there': {
    infos: [{ ...NIGHTS, includeRef: [{ matchLabels: { app: 'web', tier: 'front' } }] }],
    sleep: ['web'],
    approximated: /sleepinfo/,
  },
  'includeRef by a name and a label, which both must be there': {
    infos: [{ ...NIGHTS, includeRef: [{ ...WEB, matchLabels: { tier: 'keep' } }] }],
    sleep: [],
    approximated: /sleepinfo/,
  },
  'includeRef by a kind alone, which limits nothing': {
    infos: [{ ...NIGHTS, includeRef: [{ apiVersion: 'apps/v1', kind: 'Deployment' }] }],
    sleep: ALL,
    approximated: /sleepinfo/,
  },
  'excludeRef by name, beside labels that are none': {
    infos: [{ ...NIGHTS, excludeRef: [{ ...API, matchLabels: {} }] }],
    sleep: ['web', 'db'],
  },
  'includeRef by two names, which mean nothing': {
    infos: [{ ...NIGHTS, includeRef: [WEB, API] }],
    sleep: ['db'],
    approximated: /sleepinfo/,
  },
  'no wakeUpAt': {
    infos: [{ weekdays: '1-5', sleepAt: '20:00', ...BERLIN }],
    sleep: ALL,
    hours: '0:00-20:00,Mon-Fri;20:01-24:00,Mon-Fri;0:00-24:00,Sat-Sun (Europe/Berlin), by people',
  },
  'two that never meet': {
    infos: [NIGHTS, { ...NIGHTS, sleepAt: '12:00', wakeUpAt: '13:00' }],
    sleep: ALL,
    hours: '8:00-12:00,Mon-Fri;13:00-20:00,Mon-Fri (Europe/Berlin)',
  },
  'two that meet': {
    infos: [{ ...NIGHTS, weekdays: '*', sleepAt: '21:00' }, NIGHTS],
    sleep: ALL,
    of: { web: 1, api: 1, db: 1 },
    approximated: /namespace|deployment|statefulset/,
  },
  'one without wakeUpAt, and one': {
    infos: [
      { weekdays: '5', sleepAt: '20:00', ...BERLIN },
      { weekdays: '1', sleepAt: '07:59', wakeUpAt: '08:00', ...BERLIN },
    ],
    sleep: ALL,
    hours:
      '0:00-7:59,Mon;8:00-24:00,Mon;0:00-24:00,Tue-Thu,Sat-Sun;0:00-20:00,Fri;20:01-24:00,Fri (Europe/Berlin), by people',
    approximated: /namespace|deployment|statefulset/,
  },
  'two for some each': {
    infos: [
      { ...NIGHTS, includeRef: [{ matchLabels: { app: 'web' } }] },
      { ...NIGHTS, includeRef: [{ matchLabels: { app: 'api' } }] },
    ],
    sleep: ['web', 'api'],
    of: { api: 1 },
    approximated: /sleepinfo/,
  },
  'zones whose clocks differ': {
    infos: [NIGHTS, { ...NIGHTS, timeZone: 'Asia/Tokyo' }],
    sleep: ALL,
    refused: /deployment|statefulset|sleepinfo/,
  },
  'a patch that does as without one': {
    infos: [{ ...NIGHTS, suspendStatefulSets: false, patches: [toZero('StatefulSet')] }],
    sleep: ALL,
  },
  'a patch to one replica': {
    infos: [{ ...NIGHTS, patches: [toZero('Deployment', 1)] }],
    sleep: ['db'],
    approximated: /sleepinfo/,
  },
}

const KINDS: Readonly<Record<string, readonly [kind: string, apiVersion: string]>> = {
  db: ['StatefulSet', 'apps/v1'],
  report: ['CronJob', 'batch/v1'],
}

/** The sleepers that kube-green left, and one that a person woke in the night, and one that came then, beside what it put to sleep. */
function leftBy({ infos, sleep, of = {} }: Form, moment: Moment) {
  const isAsleep = (name: string) => moment !== 'day' && sleep.includes(name)
  const workload = (name: string): ImportedObject => {
    // The one that is woken is meant by the SleepInfo, too.
    const [kind, apiVersion] = KINDS[name === 'woken' && sleep.includes('db') ? 'db' : name] ?? [
      'Deployment',
      'apps/v1',
    ]
    const labels = LABELS[name === 'woken' ? 'web' : name] ?? {}
    const spec = kind === 'CronJob' ? { suspend: isAsleep(name) } : { replicas: isAsleep(name) ? 0 : 3 }
    return { apiVersion, kind, metadata: { namespace: 'shop', name, labels }, spec }
  }
  const sleepers = sleep.map(workload)
  const others = [...ALL, 'report'].filter((name) => !sleep.includes(name)).map(workload)
  const awake = moment === 'night' ? ['woken', 'new'].map(workload) : []
  const kept = (place: number) =>
    [...sleepers, ...awake.slice(0, 1)]
      .filter(({ metadata: { name } }) => isAsleep(name) || name === 'woken')
      .filter(({ metadata: { name } }) => (of[name] ?? 0) === place)
      .map(({ kind, metadata: { name } }) => [kind, name] as const)
  const restore = (kind: string) =>
    JSON.stringify({ spec: kind === 'CronJob' ? { suspend: false } : { replicas: 3 } })
  const secretData = (place: number) => {
    const info: Record<string, Record<string, string>> = {}
    for (const [kind, name] of kept(place))
      (info[`${kind}.${kind === 'CronJob' ? 'batch' : 'apps'}`] ??= {})[name] = restore(kind)
    const written = { 'scheduled-at': '2026-11-23T19:00:00Z', 'original-resource-info': JSON.stringify(info) }
    return Object.fromEntries(
      Object.entries(written).map(([name, text]) => [name, Buffer.from(text).toString('base64')]),
    )
  }
  const all: ImportedObject[] = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'quiet' } },
    { ...workload('elsewhere'), metadata: { namespace: 'quiet', name: 'elsewhere' }, spec: { replicas: 2 } },
    ...infos.flatMap((spec, place) => [
      {
        apiVersion: 'kube-green.com/v1alpha1',
        kind: 'SleepInfo',
        metadata: { namespace: 'shop', name: `info-${place}` },
        spec: { ...spec },
      },
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace: 'shop', name: `sleepinfo-info-${place}` },
        data: secretData(place),
      },
    ]),
    ...sleepers,
    ...others,
    ...awake,
  ]
  const cluster = new Served(
    all,
    sleepers.filter(({ metadata: { name } }) => isAsleep(name)),
  )
  cluster.now = MOMENTS[moment]
  return { cluster, sleepers, others }
}

const from = (cluster: Objects, ...args: string[]) => imported(cluster, '--from', 'kube-green', ...args)
const saying = (verdict: string, out: string) =>
  out.split('\n').filter((each) => each.startsWith(`${verdict} `) && !/ (woken|new): /.test(each))

describe('an import', () => {
  for (const [what, form] of Object.entries(FORMS))
    for (const moment of Object.keys(MOMENTS) as Moment[])
      describe(`of kube-green, ${what}, ${moment}`, () => {
        const { approximated = /^$/, refused } = form

        it('keeps every count and wakes nobody, puts nobody to sleep, and says the same for programs', async () => {
          const before = leftBy(form, moment)
          const looked = await from(before.cluster, '--dry-run')
          expectSameResult(looked, await from(before.cluster, '--dry-run', '-o', 'json'))
          expect(before.cluster.writes).to.deep.equal([])
          for (const each of saying('approximated', looked.out)) expect(each).to.match(approximated)
          expect(saying('approximated', looked.out).length > 0).to.equal('approximated' in form)
          for (const each of saying('refused', looked.out)) expect(each).to.match(refused ?? /^$/)

          const whole = await from(before.cluster)
          expect(whole.code, whole.err).to.equal(refused ? 1 : 0)
          if (refused) expect(before.cluster.writes).to.deep.equal([])
          const { cluster, sleepers, others } = refused ? before : leftBy(form, moment)
          const partly = await from(cluster, '--partial', '-o', 'yaml')
          expect(partly.code, partly.err).to.equal(0)
          if (!refused) {
            expectSameResult(whole, partly)
            expect(stored(cluster)).to.deep.equal(stored(before.cluster))
          }
          expect(cluster.faults).to.deep.equal([])
          for (const each of sleepers.map((one) => cluster.at(one))) {
            const count = each.kind === 'CronJob' ? '1' : '3'
            const labels = each.metadata.labels ?? {}
            if (refused) expect(labels, nameOf(each)).to.not.have.property(ASLEEP_LABEL)
            else if (moment !== 'day') expect(labels, nameOf(each)).to.include({ [ASLEEP_LABEL]: count })
            const { enabled, schedule, timezone, autoWake } = cluster.held(each)
            if (!refused)
              expect([enabled, `${schedule} (${timezone})${autoWake ? '' : ', by people'}`]).to.deep.equal([
                true,
                form.hours ?? HOURS,
              ])
          }
          for (const each of others)
            expect(cluster.held(cluster.at(each)).enabled, nameOf(each)).to.equal(false)
          const left = [...cluster.objects.values()].filter(({ kind }) => /SleepInfo|Secret/.test(kind))
          const isOpen = refused !== undefined
          expect(left.length).to.equal(isOpen ? 2 * form.infos.length : 0)

          const writes = cluster.writes.length
          const again = await from(cluster, '--partial')
          expect(again.code, again.err).to.equal(isOpen ? 0 : 2)
          expectSameResult(again, await from(cluster, '--partial', '-o', 'json'))
          expect(cluster.writes.slice(writes)).to.deep.equal([])
        })

        if (moment === 'night' && !refused)
          it('is the same in the end wherever it was interrupted before', async () => {
            const whole = leftBy(form, moment).cluster
            await from(whole)
            for (let writes = 1; writes < whole.writes.length; writes += 1) {
              const { cluster } = leftBy(form, moment)
              cluster.onPatch = () => {
                if (cluster.writes.length >= writes) throw new Error('killed')
              }
              expect((await from(cluster)).code).to.equal(1)
              cluster.onPatch = () => undefined
              const { code, err } = await from(cluster, '--partial')
              expect(code, `after ${writes}: ${err}`).to.equal(0)
              expect(cluster.faults).to.deep.equal([])
              expect(stored(cluster), `after ${writes}`).to.deep.equal(stored(whole))
            }
          })
      })
})

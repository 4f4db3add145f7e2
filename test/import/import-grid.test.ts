import { expect } from 'chai'
import { nameOf, type ImportedObject } from '../../src/import/plan/imported-object.ts'
import { ASLEEP_LABEL } from '../../src/domain/annotations.ts'
import { documentOf, expectSameResult } from './documents.ts'
import {
  downscaler,
  HOURS,
  imported,
  KEPT,
  MOMENTS,
  namespaces,
  sleeper,
  stored,
  UPTIME,
  type Moment,
  type Objects,
} from './import-cluster.ts'
import { Served } from './served.ts'

const TOOLS = {
  'py-kube-downscaler': 'caas-team/py-kube-downscaler',
  gokubedownscaler: 'caas-team/gokubedownscaler',
}
type Tool = keyof typeof TOOLS

/** The places that the tools' documentation names, and how the hours get there. */
interface Place {
  readonly workload?: Readonly<Record<string, string>>
  readonly namespace?: Readonly<Record<string, string>>
  /** The variables of the tool's own container. */
  readonly container?: object
  /** Data of the ConfigMap that the container may name. */
  readonly data?: Readonly<Record<string, string>>
}
const BERLIN = '8:00-18:00,Mon-Fri (Europe/Berlin)'
const FROM = { configMapRef: { name: 'settings' } }
const KEY = { valueFrom: { configMapKeyRef: { name: 'settings', key: 'hours' } } }
const PLACES: Readonly<Record<string, Place>> = {
  'the workload': { workload: { [UPTIME]: HOURS } },
  'its downtime': {
    workload: {
      'downscaler/downtime':
        'Mon-Fri 00:00-08:00 Europe/Berlin,Mon-Fri 18:00-24:00 Europe/Berlin,Sat-Sun 00:00-24:00 Europe/Berlin',
    },
  },
  'the Namespace': { namespace: { [UPTIME]: HOURS } },
  'both, the nearer counts': {
    workload: { [UPTIME]: HOURS },
    namespace: { [UPTIME]: 'Mon-Sun 06:00-22:00 UTC' },
  },
  'an argument': { container: { args: [`--default-uptime=${HOURS}`] } },
  'an argument without =': { container: { args: ['--default-uptime', HOURS] } },
  'the command': { container: { command: ['downscaler', '--default-uptime', HOURS] } },
  'the environment': { container: { env: [{ name: 'DEFAULT_UPTIME', value: HOURS }] } },
  'a ConfigMap, all of it': { container: { envFrom: [FROM] }, data: { DEFAULT_UPTIME: HOURS } },
  'a ConfigMap, with a prefix': {
    container: { envFrom: [{ ...FROM, prefix: 'DEFAULT_' }] },
    data: { UPTIME: HOURS },
  },
  'a key of a ConfigMap': {
    container: { env: [{ name: 'DEFAULT_UPTIME', ...KEY }] },
    data: { hours: HOURS },
  },
  'an argument by a variable': {
    container: { args: ['--default-uptime=$(OURS)'], env: [{ name: 'OURS', value: HOURS }] },
  },
  'the Namespace, beside an argument': {
    namespace: { [UPTIME]: HOURS },
    container: { args: ['--default-uptime=Mon-Sun 06:00-22:00 UTC'] },
  },
  'the Namespace, by a label': {
    namespace: { [UPTIME]: HOURS },
    container: { args: ['--matching-labels=sleeps=.*'] },
  },
}
const isOfProgram = ({ workload, namespace }: Place) => !workload && !namespace

/** Its arguments have hours, and so what is enabled there is enabled by a policy. */
const needsPolicy = (place: Place) =>
  isOfProgram(place) || JSON.stringify(place.container ?? {}).includes('default-uptime')

interface Cell {
  readonly tool: Tool
  readonly place: Place
  readonly moment: Moment
}

const labels = { sleeps: 'true' }
const awake = (name: string, more: Partial<ImportedObject['metadata']> = {}, kind = 'Deployment') => ({
  ...sleeper(name, ''),
  kind,
  metadata: { namespace: 'shop', name, ...more },
  spec: { replicas: 2 },
})

/** The workloads that the tool left: sleepers by night, those to leave alone, and those that it did not look at. */
function leftBy({ tool, place, moment }: Cell): {
  cluster: Served
  sleepers: ImportedObject[]
  others: ImportedObject[]
} {
  const { workload = {}, namespace = {}, container = {}, data = {} } = place
  const web = (name: string): ImportedObject =>
    moment === 'day'
      ? { ...awake(name, { annotations: workload, labels }), spec: { replicas: 3 } }
      : sleeper(name, '3', { annotations: { ...workload, [KEPT]: '3' }, labels })
  const sleepers = [web('web'), web('api')]
  const others = [
    awake('left-out', { annotations: { 'downscaler/exclude': 'true' }, labels }),
    awake('db', { labels }, 'StatefulSet'),
    ...('container' in place && !isOfProgram(place)
      ? []
      : [awake('elsewhere', { namespace: 'quiet', annotations: { 'downscaler/exclude': 'true' } })]),
  ]
  const own = downscaler(`ghcr.io/${TOOLS[tool]}:1`, container)
  const spaces = namespaces({ shop: namespace, quiet: {}, tool: {} })
  const settings = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'tool', name: 'settings' },
    data,
  }
  const all = [...spaces, own, settings, ...sleepers, ...others]
  const cluster = new Served(all, moment === 'day' ? [] : sleepers)
  cluster.now = MOMENTS[moment]
  return { cluster, sleepers, others }
}

/** Does what a dry run says is to be done first, and puts what it prints into Dormouse's configuration. */
async function configure(cluster: Served, tool: Tool): Promise<void> {
  const { err } = await imported(cluster, '--from', tool, '--dry-run')
  const first = /before you upgrade.*kubectl annotate deployment (\S+) -n (\S+) dormouse.dev\/enabled=false/g
  for (const [, name = '', namespace = ''] of err.matchAll(first)) {
    const object = cluster.at(awake(name, { namespace }))
    const annotations = { ...object.metadata.annotations, 'dormouse.dev/enabled': 'false' }
    cluster.put({ ...object, metadata: { ...object.metadata, annotations } })
  }
  await cluster.configure(tool)
}

const nowAt = (cluster: Objects, all: readonly ImportedObject[]) => all.map((each) => cluster.at(each))
describe('an import', () => {
  for (const tool of Object.keys(TOOLS) as Tool[])
    for (const [where, place] of Object.entries(PLACES))
      for (const moment of Object.keys(MOMENTS) as Moment[]) {
        const cell = { tool, place, moment }
        describe(`of ${tool}, hours in ${where}, ${moment}`, () => {
          it('keeps every count and wakes nobody, puts nobody to sleep, changes nothing the second time, and says the same for programs', async () => {
            const results: Awaited<ReturnType<typeof imported>>[] = []
            for (const args of [[], ['--partial', '-o', moment === 'edge' ? 'yaml' : 'json']]) {
              const { cluster, sleepers, others } = leftBy(cell)
              await configure(cluster, tool)
              const result = await imported(cluster, '--from', tool, ...args)
              results.push(result)
              const { code, err } = result
              expect(code, err).to.equal(0)
              expect(cluster.faults).to.deep.equal([])
              for (const each of nowAt(cluster, sleepers)) {
                if (moment === 'day') expect(each.spec?.replicas).to.equal(3)
                else expect(each.metadata.labels, nameOf(each)).to.include({ [ASLEEP_LABEL]: '3' })
                const { enabled, schedule, timezone } = cluster.held(each)
                expect([enabled, `${schedule} (${timezone})`], nameOf(each)).to.deep.equal([true, BERLIN])
              }
              for (const each of nowAt(cluster, others))
                expect(cluster.held(each).enabled, nameOf(each)).to.equal(false)
              const writes = cluster.writes.length
              expect((await imported(cluster, '--from', tool, ...args)).code).to.equal(0)
              expect(cluster.writes.slice(writes)).to.deep.equal([])
            }
            const [forPeople, forPrograms] = results
            if (forPeople && forPrograms) expectSameResult(forPeople, forPrograms)
          })

          if (moment === 'night')
            it('is the same in the end wherever it was interrupted before', async () => {
              const whole = leftBy(cell).cluster
              await configure(whole, tool)
              await imported(whole, '--from', tool)
              for (let writes = 1; writes < whole.writes.length; writes += 1) {
                const { cluster } = leftBy(cell)
                await configure(cluster, tool)
                cluster.onPatch = () => {
                  if (cluster.writes.length >= writes) throw new Error('killed')
                }
                expect((await imported(cluster, '--from', tool)).code).to.equal(1)
                cluster.onPatch = () => undefined
                const { code, err } = await imported(cluster, '--from', tool)
                expect(code, `after ${writes}: ${err}`).to.equal(0)
                expect(cluster.faults).to.deep.equal([])
                expect(stored(cluster), `after ${writes}`).to.deep.equal(stored(whole))
              }
            })

          it('changes nothing while the policy that it printed is not in force, be that published or not', async () => {
            for (const publishes of [true, false]) {
              const { cluster } = leftBy(cell)
              cluster.publishes = publishes
              const before = stored(cluster)
              const looked = await imported(cluster, '--from', tool, '--dry-run')
              expect(looked.code, looked.err).to.equal(0)
              const { code, err, out } = await imported(cluster, '--from', tool, '--partial', '-o', 'json')
              const { error } = documentOf({ out })
              if (needsPolicy(place) && moment !== 'day') {
                expect(looked.err).to.include('note: the policy imported above is not in force yet')
                expect(code).to.equal(2)
                expect(err).to.match(/not in force yet: put it into config, upgrade, and repeat/)
                expect(error?.code).to.equal('USAGE')
                expect(error?.message).to.match(/^nothing was changed: /)
                expect(stored(cluster)).to.deep.equal(before)
                await configure(cluster, tool)
                expect((await imported(cluster, '--from', tool)).code).to.equal(0)
              } else expect(code, err).to.equal(0)
              expect(cluster.faults).to.deep.equal([])
            }
          })
        })
      }
})

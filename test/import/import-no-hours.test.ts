import { expect } from 'chai'
import { ASLEEP_LABEL } from '../../src/domain/annotations.ts'
import { documentOf, expectSameResult } from './documents.ts'
import { downscaler, imported, KEPT, namespaces, sleeper, stored } from './import-cluster.ts'
import { Served } from './served.ts'

type Texts = Readonly<Record<string, string>>
/** The settings below `downscaler/` of a workload and of its Namespace, and the program's own: no hours of sleep. */
interface Form {
  readonly workload?: Texts
  readonly namespace?: Texts
  readonly env?: Texts
  readonly args?: readonly string[]
  /** By tool: what the line of the sleeper says. */
  readonly py: RegExp
  readonly go: RegExp
}

const WAKES = /^mapped .*3 kept; awake 0:00-24:00 \(UTC\); Dormouse wakes it at once/
const LEFT = /^refused .*the tool would leave it so: wake it by hand; the tool kept a count of 3/
const EXCLUDED =
  /^refused .*excluded, and the tool would wake it: wake it by hand; the tool kept a count of 3/
const BY_PERIOD = /^refused .*would wake it by its upscale-period, which alone makes no hours/
const UNREAD = /^refused .*'Mon-Fri 8-18' is no span .* could not read it, either/
const UNTIL = '2026-12-24T00:00:00Z'
const PAST = '2025-12-24T00:00:00Z'
const WEEKEND = 'Mon-Sun 07:00-07:30 UTC'

const FORMS: Readonly<Record<string, Form>> = {
  'no settings at all': { py: WAKES, go: LEFT },
  'the program says that it keeps all awake': { env: { DEFAULT_UPTIME: 'always' }, py: WAKES, go: WAKES },
  'exclude on the workload': { workload: { exclude: 'true' }, py: EXCLUDED, go: LEFT },
  'exclude on the Namespace': { namespace: { exclude: 'true' }, py: EXCLUDED, go: LEFT },
  'exclude, where the program leaves that asleep': {
    workload: { exclude: 'true' },
    args: ['--upscale-target-only'],
    py: LEFT,
    go: LEFT,
  },
  'exclude, where the program wakes that': {
    workload: { exclude: 'true', 'upscale-excluded': 'true' },
    py: EXCLUDED,
    go: EXCLUDED,
  },
  'exclude, where an argument says to wake that': {
    workload: { exclude: 'true' },
    args: ['--upscale-excluded=true'],
    py: EXCLUDED,
    go: EXCLUDED,
  },
  'exclude, in a namespace that the program leaves out': {
    workload: { exclude: 'true', 'upscale-excluded': 'true' },
    args: ['--exclude-namespaces=sh.p'],
    py: LEFT,
    go: LEFT,
  },
  'labels other than the program asks for': {
    args: ['--matching-labels=sleeps=true'],
    py: EXCLUDED,
    go: LEFT,
  },
  'exclude-until': { workload: { 'exclude-until': UNTIL }, py: WAKES, go: LEFT },
  'exclude-until on the Namespace': { namespace: { 'exclude-until': UNTIL }, py: WAKES, go: LEFT },
  'exclude-until, long ago': { workload: { 'exclude-until': PAST }, py: WAKES, go: LEFT },
  'force-uptime on the Namespace': { namespace: { 'force-uptime': 'true' }, py: WAKES, go: WAKES },
  'force-uptime on the workload': { workload: { 'force-uptime': 'true' }, py: WAKES, go: WAKES },
  'upscale-period alone': { workload: { 'upscale-period': WEEKEND }, py: BY_PERIOD, go: BY_PERIOD },
  'upscale-period alone, on the Namespace': {
    namespace: { 'upscale-period': WEEKEND },
    py: BY_PERIOD,
    go: BY_PERIOD,
  },
  'grace-period alone': { workload: { 'grace-period': '300' }, py: WAKES, go: LEFT },
  'uptime always': { workload: { uptime: 'always' }, py: WAKES, go: WAKES },
  'downtime never': { workload: { downtime: 'never' }, py: WAKES, go: WAKES },
  'an uptime that nobody can read': { workload: { uptime: 'Mon-Fri 8-18' }, py: UNREAD, go: UNREAD },
  'an uptime that nobody can read, on the Namespace': {
    namespace: { uptime: 'Mon-Fri 8-18' },
    py: UNREAD,
    go: UNREAD,
  },
  // https://github.com/caas-team/py-kube-downscaler/issues/126
  'keys that no tool knows': {
    workload: { downtimePeriod: 'Mon-Fri 01:00-05:00 UTC', minReplicas: '0' },
    py: WAKES,
    go: LEFT,
  },
}

const marks = (texts: Texts = {}) =>
  Object.fromEntries(Object.entries(texts).map(([name, value]) => [`downscaler/${name}`, value]))

async function leftBy(
  tool: 'py-kube-downscaler' | 'gokubedownscaler',
  { workload, namespace, env = {}, args = [] }: Form,
) {
  const web = sleeper('web', '3', { annotations: { ...marks(workload), [KEPT]: '3' } })
  const api = { ...sleeper('api', '', { annotations: marks(workload) }), spec: { replicas: 2 } }
  const variables = Object.entries(env).map(([name, value]) => ({ name, value }))
  const own = downscaler(`corp/${tool}:1`, { env: variables, args })
  const cluster = new Served([...namespaces({ shop: marks(namespace), tool: {} }), own, web, api], [web])
  await cluster.configure(tool)
  return { cluster, web, api }
}

describe('an import of what has no hours of sleep', () => {
  for (const tool of ['py-kube-downscaler', 'gokubedownscaler'] as const)
    for (const [what, form] of Object.entries(FORMS)) {
      const says = tool === 'gokubedownscaler' ? form.go : form.py
      const isRefused = says !== WAKES
      it(`says what ${tool} would do, and puts nothing to sleep: ${what}`, async () => {
        const { cluster, web, api } = await leftBy(tool, form)
        const before = stored(cluster)
        const whole = await imported(cluster, '--from', tool)
        const line = whole.out.split('\n').find((each) => each.includes('deployment shop/web:'))
        expect(line).to.match(says)
        expect(whole.code, whole.err).to.equal(isRefused ? 1 : 0)
        if (isRefused) expect(stored(cluster)).to.deep.equal(before)
        const other = (await leftBy(tool, form)).cluster
        const partly = await imported(other, '--from', tool, '--partial', '-o', isRefused ? 'json' : 'yaml')
        expect(partly.code, partly.err).to.equal(0)
        if (!isRefused) expectSameResult(whole, partly)
        const { counts } = documentOf(partly)
        expect(counts.map(({ before: count, kept }) => [count, kept])).to.deep.equal(
          isRefused ? [] : [[3, 3]],
        )
        expect(other.faults).to.deep.equal([])
        expect(other.at(api).spec?.replicas).to.equal(2)
        const { annotations = {}, labels = {} } = other.at(web).metadata
        if (isRefused) expect(annotations).to.have.property(KEPT, '3')
        else expect(labels).to.include({ [ASLEEP_LABEL]: '3' })
        const writes = other.writes.length
        await imported(other, '--from', tool, '--partial')
        expect(other.writes.slice(writes)).to.deep.equal([])
      })
    }

  it('says of what is awake, and is to sleep at this hour, that Dormouse puts it to sleep', async () => {
    const form = { workload: { uptime: 'never' }, py: WAKES, go: WAKES }
    const { cluster } = await leftBy('py-kube-downscaler', form)
    const { out } = await imported(cluster, '--from', 'py-kube-downscaler', '--dry-run')
    expect(out).to.match(/deployment shop\/api: Dormouse puts it to sleep at once/)
  })
})

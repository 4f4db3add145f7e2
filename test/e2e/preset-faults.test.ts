import { expect } from 'chai'
import { checkedAgainst } from '../cli/checking.ts'
import { describeOn } from '../support/clusters.ts'
import { defineKind, mayManage, mayNoLongerManage, undefineKind } from '../support/custom-kinds.ts'
import { dormouse } from '../control-plane/dormouse-account.ts'
import { account, grant } from '../support/rights.ts'
import { eventually } from '../support/eventually.ts'
import { sumOf } from '../support/metrics-text.ts'
import { served } from '../support/served.ts'
import { SWITCHES, type Row } from './preset-rows.ts'

const rowOf = (preset: string) => SWITCHES.find((row) => row.preset === preset)!
const WORKS = rowOf('zalando-postgres')
const ABSENT = rowOf('percona-mongodb')
const UNKNOWN = rowOf('percona-xtradb')
const FORBIDDEN = rowOf('percona-mysql')
const KINDS = [WORKS, ABSENT, UNKNOWN, FORBIDDEN].map(({ preset }) => ({ preset }))

const NAMED = [
  [ABSENT, 'is its CustomResourceDefinition installed?', 'since its definition is absent'],
  [UNKNOWN, 'its preset knows v1, and the cluster serves v7', 'since it knows no version of it'],
  [FORBIDDEN, 'is forbidden', 'since a right is missing'],
] as const

// The sandbox asks nobody for rights.
describeOn('a preset that this cluster cannot have', function (on) {
  this.timeout(120_000)
  const there = [WORKS, { ...UNKNOWN, custom: { ...UNKNOWN.custom!, version: 'v7' } }, FORBIDDEN]
  const groups = [WORKS, UNKNOWN].map(({ custom }) => custom!.group)

  before(async () => {
    for (const { custom } of there) await defineKind(on(), custom!)
    for (const group of groups) await mayManage(on(), group)
  })
  after(async () => {
    for (const group of [...groups, FORBIDDEN.custom!.group]) await mayNoLongerManage(on(), group)
    for (const { custom } of there) await undefineKind(on(), custom!)
  })
  const here = served(on, { newWorkloadGrace: '0s', webhook: { enabled: false }, kinds: KINDS })

  for (const [{ kind }, why, title] of NAMED)
    it(`${title}, is named with that by record, log and metric`, async () => {
      const { status, body } = await here.workload(kind, 'any').attempt('GET', '')
      expect([status, body.error.code]).to.deep.equal([503, 'CLUSTER_UNAVAILABLE'])
      expect(body.error.message).to.include(kind.split('.')[0]).and.to.include(why)
      await eventually('the log to say so', () =>
        here.dormouse.log.some((line) => line['kind'] === kind && String(line['error']).includes(why)),
      )
      const samples = await here.dormouse.metrics()
      const connected = samples.filter(({ name }) => name === 'dormouse_watch_connected')
      expect(connected.map(({ labels }) => labels['kind'])).to.include(kind)
      expect(sumOf(samples, 'dormouse_watch_connected', { kind })).to.equal(0)
    })

  it('is named by check, and so is the right that is missing', async () => {
    const check = (rows: readonly Row[]) =>
      checkedAgainst(on().dormouseKubeconfig, { kinds: rows.map(({ preset }) => ({ preset })) })
    const { unseen, unwritable } = await check([WORKS, ABSENT, UNKNOWN, FORBIDDEN])
    for (const [{ kind }, why] of NAMED)
      expect(unseen.filter((each) => each.includes(kind)).join()).to.include(why)
    expect(unwritable).to.include(FORBIDDEN.kind)
    const { group } = FORBIDDEN.custom!
    const rights = [{ apiGroups: [group], resources: ['*'], verbs: ['list', 'watch'] }]
    await grant(on().admin, account(dormouse.namespace, dormouse.name), { name: group, rights })
    await eventually('it to be named as one that may not be patched', async () => {
      const found = await check([WORKS, FORBIDDEN]).catch(() => undefined)
      return found && JSON.stringify(found.unwritable) === JSON.stringify([FORBIDDEN.kind])
    })
  })

  it('holds up no other', async () => {
    const { custom, awake, asleep } = WORKS
    const { group, plural, kind } = custom!
    const path = `/apis/${group}/v1/namespaces/${here.namespace}/${plural}`
    const object = { apiVersion: `${group}/v1`, kind, metadata: { name: 'works' }, ...awake }
    await on().admin.expect('POST', path, object)
    const workload = here.workload(WORKS.kind, 'works')
    await eventually('it to be known', async () => (await workload.attempt('GET', '')).status === 200)
    await workload.enable()
    expect(await workload.snooze()).to.include({ is_snoozed: true })
    expect(await on().admin.expect('GET', `${path}/works`)).to.containSubset(asleep)
  })
})

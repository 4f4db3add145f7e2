import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import pLimit from 'p-limit'
import { whyText } from '../../src/client/text/why.ts'
import { factsOf, isBuiltIn } from '../../src/domain/kinds.ts'
import type { StatusRecord } from '../../src/domain/records/record.ts'
import { PRESET_NAMES } from '../../src/domain/sleeping/presets.ts'
import { resultOf, whatOf } from '../../src/words/operation.ts'
import { followerOf, replicasText } from '../../src/words/pods.ts'
import { stateText } from '../../src/words/state.ts'
import { describeKubectlOnBoth } from '../support/clusters.ts'
import {
  defineKind,
  mayManage,
  mayNoLongerManage,
  undefineKind,
  type CustomKind,
} from '../support/custom-kinds.ts'
import { runDormouse } from '../support/dormouse.ts'
import { enforced } from '../support/enforced.ts'
import { eventually } from '../support/eventually.ts'
import { manifest } from '../support/manifests.ts'
import { sumOf } from '../support/metrics-text.ts'
import { asleepNow } from '../support/schedules.ts'
import { BUILT_IN, OWNED, SWITCHES, type Row } from './preset-rows.ts'

const ROWS = [...SWITCHES, ...OWNED, ...BUILT_IN]
const CNPG = SWITCHES[0]!
const CNPG_GROUP = 'postgresql.cnpg.io'
const BESIDE: readonly CustomKind[] = [
  { group: CNPG_GROUP, plural: 'scheduledbackups', kind: 'ScheduledBackup' },
  { group: CNPG_GROUP, plural: 'backups', kind: 'Backup' },
]
const MARK = 'dormouse.dev/paused'
const PLAIN = {
  times: { now: 0, zone: 'UTC' },
  advice: { program: 'kubectl dormouse', options: '', defaultNamespace: 'default' },
  paint: (_: unknown, text: string) => text,
  width: undefined,
} as const

describeKubectlOnBoth('every way to sleep', function (on) {
  this.timeout(240_000)
  const customs = [...ROWS.flatMap(({ custom, owner }) => custom ?? owner?.custom ?? []), ...BESIDE]
  const groups = [...new Set(customs.map(({ group }) => group))]
  const SETTINGS = {
    operationTimeout: '15s',
    kinds: PRESET_NAMES.map((preset) => ({ preset })),
    backoff: { maxOperations: 19, window: '1s' },
  }
  let folder = ''

  before('their definitions are there, and Dormouse may see them', async () => {
    folder = await mkdtemp(join(tmpdir(), 'dormouse-rows-'))
    await each(customs, (custom) => defineKind(on(), custom))
    // The sandbox asks nobody for rights.
    if (on().isReal) for (const group of groups) await mayManage(on(), group)
  })
  after(async () => {
    if (on().isReal) for (const group of groups) await mayNoLongerManage(on(), group)
    await each(customs, (custom) => undefineKind(on(), custom))
    await rm(folder, { recursive: true, force: true })
  })
  const here = enforced(on, { settings: SETTINGS })
  before(() => here.inForce())

  const at = ({ group, version = 'v1', plural }: CustomKind, name = '') =>
    `/apis/${group}/${version}/namespaces/${here.namespace}/${plural}${name && `/${name}`}`
  const pathOf = ({ kind, custom }: Row, name: string) => (custom ? at(custom, name) : here.path(kind, name))
  const stored = async (row: Row, name: string) => {
    const { metadata, spec } = await on().admin.expect('GET', pathOf(row, name))
    return { metadata, spec }
  }
  const headOf = ({ group, version = 'v1', kind }: CustomKind) => ({
    apiVersion: `${group}/${version}`,
    kind,
  })

  /** Its operator has brought it there. */
  const operated = async ({ custom, running, stopped = running }: Row, name: string, asleep: boolean) => {
    const status = asleep ? stopped : running
    if (custom && status) await on().admin.expect('PATCH', `${at(custom, name)}/status`, { status })
  }

  /** The manifest of one that is awake; its owner is there. */
  async function manifestOf(row: Row, name: string, object = row.awake) {
    const { kind, custom, owner } = row
    if (custom) {
      const { metadata = {}, ...rest } = object as { metadata?: object }
      return { ...headOf(custom), metadata: { name, ...metadata }, ...rest }
    }
    const whole = manifest(kind, name, { replicas: 2 })
    if (!owner)
      return { ...whole, spec: { ...whole.spec, ...(row.kind === 'cronjobs' && { suspend: false }) } }
    const head = headOf(owner.custom)
    const { metadata } = await on().admin.expect('POST', at(owner.custom), {
      ...head,
      metadata: { name },
      spec: {},
    })
    const { uid } = metadata as { uid?: string }
    return {
      ...whole,
      metadata: { ...whole.metadata, ownerReferences: [{ ...head, name, uid, controller: true }] },
    }
  }

  /** Some rows are of one kind. */
  const named = (word: string, { title }: Row) => `${word}-${title.toLowerCase().replace(', ', '-')}`

  /** Managed, and awake unless its object says otherwise. */
  async function enabled(row: Row, name: string, object?: object, make = 'create') {
    const result = await here.withFile(make, await manifestOf(row, name, object))
    expect(result.code, result.stderr).to.equal(0)
    await operated(row, name, object === row.asleep)
    const workload = here.workload(row.kind, name)
    if (!row.custom) await here.settled(row.kind, name)
    await eventually('it to be known', async () => (await workload.attempt('GET', '')).status === 200)
    await workload.enable()
    return workload
  }

  /** Resolves once its owner is as it should be beside it. */
  async function besideOwner({ owner }: Row, name: string, asleep: boolean) {
    if (!owner) return
    await eventually(`its owner to be ${asleep ? 'paused' : 'as it was'}`, async () => {
      const { metadata } = (await on().admin.expect('GET', at(owner.custom, name))) as {
        metadata: { labels?: object; annotations?: Record<string, string> }
      }
      const [[place, values]] = Object.entries((owner.paused as { metadata: object }).metadata) as [
        [string, object],
      ]
      const found = (metadata as Record<string, Record<string, string> | undefined>)[place] ?? {}
      const isPaused = Object.entries(values).every(([key, value]) => found[key] === value)
      return isPaused === asleep && (metadata.annotations?.[MARK] !== undefined) === asleep
    })
  }

  /** Read from the list, where people look for it, also where an operator owns it. */
  const recordOf = async ({ kind, owner }: Row, name: string): Promise<StatusRecord> => {
    if (!owner) return here.workload(kind, name).status()
    const path = `/namespaces/${here.namespace}/${kind}?limit=500`
    const { body } = await here.api.call<StatusRecord[]>('GET', path)
    const found = body.data.find((each) => each.name === name)
    if (!found) throw new Error(`the list has no ${kind}/${name}`)
    return found
  }

  const ended = (record: () => Promise<StatusRecord>, type: 'snooze' | 'wake') =>
    eventually(`its ${type} to have succeeded`, async () => {
      const [newest] = (await record()).operation_history
      return newest?.type === type && newest.result === 'succeeded' && newest
    })

  /** `kubectl edit`, by which somebody makes it like this. */
  async function edited(row: Row, name: string, change: object) {
    const object = await on().admin.expect('GET', pathOf(row, name))
    const file = join(folder, `${row.title}-${name}.json`.replaceAll(/[ ,]/g, '-'))
    await writeFile(file, JSON.stringify(merged(object, change)))
    const args = ['edit', `${row.kind}/${name}`, '-n', here.namespace]
    return on().kubectl.attempt(args, '', { KUBE_EDITOR: `cp ${file}` })
  }

  /** Runs the command that a refusal tells people to type. */
  async function typed(stderr: string) {
    const [, line = ''] = /kubectl (annotate -n \S+ \S+ dormouse\.dev\/request=\S+)/.exec(stderr) ?? []
    expect(line, stderr).not.to.equal('')
    const result = await on().kubectl.attempt(line.split(' '))
    expect(result.code, result.stderr).to.equal(0)
  }

  it('sleeps and wakes, and record, history, why, console and metrics say so in their words', async () => {
    await each(ROWS, async (row) => {
      const name = named('moves', row)
      const workload = await enabled(row, name)
      const { current_replicas: count } = await workload.status()
      expect(await workload.snooze()).to.include({ is_snoozed: true, last_replicas: count })
      expect(await stored(row, name)).to.containSubset(row.asleep)
      await operated(row, name, true)
      await besideOwner(row, name, true)
      await ended(workload.status, 'snooze')
      const record = await recordOf(row, name)
      const follower = followerOf(record)
      const [said = '', ...lines] = whyText({ kind: row.kind, record }, PLAIN).split('\n')
      const runs = follower === 'pods' ? `: none of ${count} replicas runs` : ''
      expect(said).to.equal(`${record.type} ${here.namespace}/${name} is asleep${runs}`)
      expect(lines.join()).to.include('put to sleep by')
      if (follower !== 'pods') expect(lines.join()).not.to.match(/pods|replica/)
      const [newest] = record.operation_history
      expect([stateText(record), whatOf(newest!, follower), resultOf(newest!, follower)]).to.deep.equal([
        'Asleep',
        'Put to sleep',
        'succeeded',
      ])
      expect(replicasText(record)).to.equal(
        follower === 'pods' ? `0; ${count} are kept and come back` : undefined,
      )
      await workload.wake()
      expect(await stored(row, name)).to.containSubset(row.awake)
      await operated(row, name, false)
      await besideOwner(row, name, false)
      await ended(workload.status, 'wake')
    })
    const operations = ROWS.flatMap(({ kind }) => ['snooze', 'wake'].map((type) => ({ kind, type })))
    await eventually('all to be counted', async () => {
      const samples = await here.dormouse.metrics()
      const counted = ({ kind, type }: (typeof operations)[number]) =>
        sumOf(samples, 'dormouse_operations_total', { kind, type, trigger: 'api', result: 'succeeded' })
      const due = ({ kind }: (typeof operations)[number]) => ROWS.filter((row) => row.kind === kind).length
      return operations.every((each) => counted(each) === due(each))
    })
  })

  it('pinned or overridden, refuses kubectl edit and scale, and says what to type', () =>
    each(ROWS, async (row) => {
      const name = named('held', row)
      const workload = await enabled(row, name)
      await workload.pin()
      const edit = await edited(row, name, row.asleep)
      expect(edit.code, 'edit').not.to.equal(0)
      expect(edit.stderr).to.include('is pinned awake by')
      if (isBuiltIn(row.kind) && factsOf(row.kind).hasScale) {
        const { code, stderr } = await here.attempt('scale', `${row.kind}/${name}`, '--replicas=0')
        expect(code, 'scale').not.to.equal(0)
        await typed(stderr)
      } else await typed(edit.stderr)
      await eventually('the pin to be gone', async () => (await workload.status()).pin_state === 'none')
      const { last_replicas: count } = await workload.snooze()
      await workload.override()
      const again = await edited(row, name, row.byHand ?? row.awake)
      expect(again.code, 'edit of an overridden one').not.to.equal(0)
      await typed(again.stderr)
      await eventually('the override to be gone', async () => !(await workload.status()).has_manual_override)
      expect(await workload.status()).to.include({ is_snoozed: true, last_replicas: count })
    }))

  it('stays asleep where its manifest is applied again', () =>
    each(ROWS, async (row) => {
      const name = named('applied', row)
      const whole = await manifestOf(row, name)
      const apply = () => here.withFile('apply', whole)
      expect((await apply()).code).to.equal(0)
      const workload = here.workload(row.kind, name)
      await eventually(
        'it to be known',
        async () => (await workload.attempt('POST', 'enable')).status === 200,
      )
      const { last_replicas } = await workload.snooze()
      const { code, stderr } = await apply()
      expect(code, stderr).to.equal(0)
      if (row.isInManifest) expect(stderr).to.include('is asleep and stays')
      expect(await stored(row, name)).to.containSubset(row.asleep)
      expect(await workload.status()).to.include({ is_snoozed: true, last_replicas })
    }))

  it('that slept before by an own switch is found asleep, and no schedule wakes it', () =>
    each(SWITCHES, async (row) => {
      const name = named('found', row)
      const workload = await enabled(row, name, row.asleep)
      expect(await workload.enable({ schedule: asleepNow() })).to.include({ is_snoozed: true })
      await workload.schedule({ schedule: '0:00-24:00' })
      expect(await stored(row, name)).to.containSubset(row.asleep)
    }))

  it('is woken by hand by its switch, and by a count alone it keeps that for its wake', () =>
    each(SWITCHES, async (row) => {
      const name = named('by-hand', row)
      const workload = await enabled(row, name)
      await workload.snooze()
      expect((await edited(row, name, row.awake)).code).to.equal(0)
      // A count in a spec may come from anywhere.
      const wakes = row.byHand === undefined
      await eventually('it to be known', async () => (await workload.status()).is_snoozed !== wakes)
      expect(await stored(row, name)).to.containSubset(wakes ? row.awake : row.asleep)
    }))

  it('whose operator is down is late, and nothing is repeated', async () => {
    const workload = await enabled(CNPG, 'waits')
    await workload.snooze()
    const [newest, ...others] = await eventually('its operation to have timed out', async () => {
      const { operation_history: history } = await workload.status()
      return history[0]?.result === 'timed_out' && history
    })
    expect([resultOf(newest!, 'operator'), others]).to.deep.equal(['its operator came too late', []])
    expect(await stored(CNPG, 'waits')).to.containSubset(CNPG.asleep)
  })

  it('suspends the backups of a CloudNativePG cluster along, and waits for one that runs', async () => {
    const workload = await enabled(CNPG, 'backed-up')
    const [scheduled, backup] = BESIDE as [CustomKind, CustomKind]
    const spec = { cluster: { name: 'backed-up' } }
    const make = (custom: CustomKind, more: object) =>
      on().admin.expect('POST', at(custom), {
        ...headOf(custom),
        metadata: { name: 'nightly' },
        spec,
        ...more,
      })
    await make(backup, { status: { phase: 'running' } })
    await make(scheduled, {})
    const snooze = () => workload.attempt('POST', 'snooze')
    await eventually('a snooze to be refused', async () => {
      const { body } = await snooze()
      if (body.success) await workload.wake()
      return body.error?.message.includes('Backup nightly of it is running')
    })
    await on().admin.expect('PATCH', at(backup, 'nightly'), { status: { phase: 'completed' } })
    await eventually('it to sleep', async () => (await snooze()).status === 200)
    const suspends = async () =>
      ((await on().admin.expect('GET', at(scheduled, 'nightly'))).spec as { suspend?: boolean }).suspend
    await eventually('its backups to be suspended', async () => (await suspends()) === true)
    await workload.wake()
    await eventually('its backups to go on', async () => (await suspends()) === undefined)
  })

  it('is woken by a release, which ends the pause of its owner', async () => {
    await each(ROWS, async (row) => {
      const name = named('released', row)
      await (await enabled(row, name)).snooze()
      await besideOwner(row, name, true)
    })
    await here.dormouse.terminate()
    const config = { ...SETTINGS, controller: { lease: { namespace: 'dormouse' } } }
    const { code, stdout, stderr } = await runDormouse(
      ['release', '--all', '--yes', '--kubeconfig', on().adminKubeconfig],
      { config },
    )
    expect(code, stdout + stderr).to.equal(0)
    await each(ROWS, async (row) => {
      const name = named('released', row)
      expect(await stored(row, name)).to.containSubset(row.awake)
      expect(JSON.stringify(await stored(row, name))).not.to.include('dormouse.dev/snoozed')
      await besideOwner(row, name, false)
    })
  })
})

/** Some at a time, since each runs kubectl; a failure names its row. */
function each<Item extends { readonly title: string } | CustomKind>(
  items: readonly Item[],
  act: (item: Item) => Promise<unknown>,
): Promise<unknown> {
  return pLimit(4).map(items, async (item) => {
    try {
      await act(item)
    } catch (error) {
      const { message } = error as Error
      throw new Error(`${'title' in item ? item.title : item.plural}: ${message}`, { cause: error })
    }
  })
}

/** As a merge patch. */
function merged(object: object, change: object): object {
  const result: Record<string, unknown> = { ...object }
  for (const [key, value] of Object.entries(change)) {
    const former = result[key]
    const isDeep =
      typeof value === 'object' && value !== null && typeof former === 'object' && former !== null
    if (value === null) delete result[key]
    else result[key] = isDeep ? merged(former, value as object) : (value as unknown)
  }
  return result
}

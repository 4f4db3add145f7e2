import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { Console } from '../../src/console/console.ts'
import type { Released } from '../../src/domain/deciding/released.ts'
import type { State } from '../../src/domain/workload/state.ts'
import { NOON, Service, token } from '../service/api/service.ts'
import { managed } from '../service/api/states.ts'
import { eventually } from '../support/eventually.ts'
import { HOUR, RULES } from '../support/rules.ts'
import { violations } from './axe.ts'
import { chromiumForTests, chromiumProgram, watched } from './chromium.ts'
import { describeWith } from '../suite/need.ts'

/** Its latest wake took too long. */
const TIMED_OUT: Partial<State> = {
  history: [
    {
      type: 'wake',
      trigger: 'schedule',
      at: NOON - HOUR,
      replicas: 3,
      duration: 600_000,
      by: null,
      result: 'timed_out',
    },
  ],
}

describeWith(chromiumProgram, 'the console, on workloads that people share', function (program) {
  this.timeout(240_000)
  const browser = chromiumForTests(program)
  let service: Service

  beforeEach(async () => {
    service = await Service.start({}, { console: new Console() })
  })
  afterEach(async () => await service?.stop())

  /** The page at `path` behind `/console`, signed in as Ana. */
  const open = async (path = '', options = {}) => {
    const bearer = await token({ claims: { sub: 'ana' } })
    const { page } = await browser.open('about:blank', options)
    await page.clock.setFixedTime(NOON)
    await page.addInitScript((bearer) => sessionStorage.setItem('dormouse.token', bearer), bearer)
    const faults = await watched(page, `${service.server.url}/console${path}`)
    await page.locator('.status.live').waitFor()
    return { page, faults }
  }
  const rowOf = (page: Page, name: string) =>
    page.locator('.all .row', { has: page.locator(`[data-key="shop/deployment/${name}"]`) })

  describe('whose pods came too late', () => {
    const trouble = { code: 'FailedCreate', message: 'exceeded quota: one, requested: pods=1, used: pods=1' }
    const silent = { existing: 1, ready: 1, observedGeneration: 1 }
    const pods = { ...silent, trouble }

    it('says Late above the namespace, in the row and in the filter, and what keeps the pods', async () => {
      service.cluster.put(managed(TIMED_OUT, { name: 'late', replicas: 3, pods }))
      service.cluster.put(managed({}, { name: 'well' }))
      const { page, faults } = await open()
      await page.locator('.group', { hasText: '1 awake, 1 late' }).waitFor()
      await rowOf(page, 'late').locator('.state-word', { hasText: 'Late' }).waitFor()
      await rowOf(page, 'late').locator('.why', { hasText: 'exceeded quota: one' }).waitFor()
      await page.getByRole('button', { name: 'Late 1' }).click()
      await rowOf(page, 'well').waitFor({ state: 'detached' })
      expect(new URL(page.url()).searchParams.get('state')).to.equal('late')
      await rowOf(page, 'late').locator('.link').click()
      await page
        .locator('.detail .missing', { hasText: `Pods are missing: ${trouble.message} (FailedCreate)` })
        .waitFor()
      expect(await violations(page)).to.deep.equal([])
      expect(await page.locator('.detail .pods').count()).to.equal(0)
      service.cluster.put(managed(TIMED_OUT, { name: 'late', replicas: 3, pods: silent }))
      const asking = 'kubectl dormouse why deployment/late -n shop says what its pods say.'
      await page.locator('.detail .pods', { hasText: asking }).waitFor()
      service.cluster.put(
        managed(TIMED_OUT, {
          name: 'late',
          replicas: 3,
          pods: { existing: 3, ready: 3, observedGeneration: 1 },
        }),
      )
      await page
        .getByText('is not there')
        .or(page.locator('.detail .state-word', { hasText: 'Awake' }))
        .waitFor()
      await eventually('no pod to be missing', async () => (await page.locator('.missing').count()) === 0)
      expect(faults).to.deep.equal([])
    })
  })

  describe('where many are changed at once', () => {
    const bob = async () => await token({ claims: { sub: 'bob' } })
    const asBob = async (request: string) => {
      const { status, body } = await service.call(request, { token: await bob() })
      expect(status, body.error?.message).to.equal(200)
    }
    const record = async (name: string) => (await service.call(`GET shop/deployments/${name}`)).body.data
    const choose = async (page: Page, label: string, count: number) => {
      await page.getByRole('button', { name: 'All of shop…' }).click()
      await page.getByLabel('What to do').selectOption({ label })
      await page.getByRole('button', { name: `${label}: ${count} workload` }).click()
    }
    const notice = (page: Page, text: string | RegExp) => page.locator('.notice', { hasText: text })

    it('says whose wishes that ends, takes back its own alone, and leaves what others changed since', async () => {
      for (const name of ['api', 'web', 'worker']) service.cluster.put(managed({}, { name }))
      service.cluster.put(
        managed({ pin: { state: 'active', replicas: 3, at: NOON, by: 'k8s:carl' } }, { name: 'db' }),
      )
      await asBob('POST shop/deployments/web/wake?for=6h')
      const { page, faults } = await open()
      await page.getByRole('button', { name: 'All of shop…' }).click()
      await page.getByLabel('What to do').selectOption({ label: 'Snooze' })
      await page.locator('.counts', { hasText: '3 would change' }).waitFor()
      await page.locator('.counts', { hasText: '1 of them others asked for' }).waitFor()
      await page.getByText('What others asked for, and would end').click()
      await page.locator('.items', { hasText: 'awake by request of bob' }).waitFor()
      await page.getByText('Which would not change, and why').click()
      expect(await violations(page)).to.deep.equal([])
      await page.getByRole('button', { name: 'Snooze: 3 workloads' }).click()
      await notice(page, 'That ended what others had asked for: web (bob).').waitFor()
      for (const name of ['api', 'web', 'worker']) expect((await record(name))['is_snoozed']).to.equal(true)
      await asBob('POST shop/deployments/worker/pin')
      await rowOf(page, 'worker').locator('.state-word', { hasText: 'Pinned' }).waitFor()
      await notice(page, 'Snooze in shop').getByRole('button', { name: 'Undo' }).click()
      await notice(page, 'Undo: Snooze in shop: 2 as before, 1 left: changed by bob meanwhile.').waitFor()
      expect(await record('api')).to.include({ is_snoozed: false })
      expect(await record('web')).to.include({ is_snoozed: false, wake_requested: true })
      expect(await record('worker')).to.include({ is_snoozed: true, pin_state: 'snoozed' })
      expect(await record('db')).to.include({ pin_state: 'active' })
      expect(faults).to.deep.equal([])
    })

    it('waits where the API takes no more for now, and goes on after a sign-in', async () => {
      for (const name of ['api', 'web']) service.cluster.put(managed({}, { name }))
      const { page } = await open()
      await choose(page, 'Pin', 2)
      await notice(page, '2 done').waitFor()
      let asked = 0
      await page.route('**/deployments/*/pin', (route) => {
        asked += 1
        if (asked === 1) {
          const error = { code: 'RATE_LIMITED', message: 'wait' }
          return route.fulfill({ status: 429, headers: { 'Retry-After': '1' }, json: { error } })
        }
        return asked > 3 ? route.continue() : route.continue({ headers: { ...route.request().headers(), authorization: 'Bearer a.b.c' } }) // prettier-ignore
      })
      await notice(page, '2 done').getByRole('button', { name: 'Undo' }).click()
      await page.getByLabel('Token').fill(await token({ claims: { sub: 'ana' } }))
      await page.getByRole('button', { name: 'Sign in and do it' }).click()
      await notice(page, 'Undo: Pin in shop: 2 as before.').waitFor()
      for (const name of ['api', 'web']) expect(await record(name)).to.include({ pin_state: 'none' })
    })

    it('a click on one says whose wish it ended, and its Undo leaves what that person did since', async () => {
      service.cluster.put(managed({}, { name: 'web' }))
      await asBob('POST shop/deployments/web/wake?for=6h')
      const { page } = await open()
      await rowOf(page, 'web').getByRole('button', { name: 'Snooze: web' }).click()
      const told = notice(page, /web goes to sleep.*Before: awake by request of bob/)
      await told.waitFor()
      await asBob('POST shop/deployments/web/pin')
      await rowOf(page, 'web').locator('.state-word', { hasText: 'Pinned' }).waitFor()
      await told.getByRole('button', { name: 'Undo' }).click()
      await notice(page, 'web is left as it is: changed by bob meanwhile.').waitFor()
      expect(await record('web')).to.include({ is_snoozed: true, pin_state: 'snoozed' })
    })
  })

  it('says of a released cluster by whom and since when, and what ends it, and so do its buttons', async () => {
    let mark: Released | undefined = { by: 'k8s:carl', since: '2026-03-03T11:37:00Z' }
    await service.stop()
    service = await Service.start({}, { console: new Console(), rules: { ...RULES, released: () => mark } })
    service.cluster.put(managed({}, { name: 'web' }))
    const { page, faults } = await open('?open=shop/deployment/web')
    const banner = page.locator('.banner', { hasText: 'Released by carl since 12:37: nothing is automatic.' })
    await banner.waitFor()
    expect(await banner.locator('code').innerText()).to.equal('dormouse release --undo')
    const snooze = page.locator('.detail').getByRole('button', { name: 'Snooze', exact: true })
    expect(await snooze.getAttribute('title')).to.include('Everything is released: nothing is automatic')
    expect(await violations(page)).to.deep.equal([])
    await snooze.click()
    await page.locator('.notice', { hasText: 'web goes to sleep. Released by carl' }).waitFor()
    await page.locator('.notice').getByRole('button', { name: 'Undo' }).click()
    await page.locator('.notice', { hasText: 'web wakes.' }).waitFor()
    mark = undefined
    service.cluster.inputsChanged([{ kind: 'deployments', namespace: 'shop', name: 'web' }])
    await banner.waitFor({ state: 'detached' })
    expect(faults).to.deep.equal([])
  })
})

import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { Console } from '../../src/console/console.ts'
import type { State } from '../../src/domain/workload/state.ts'
import { NOON, Service, token } from '../service/api/service.ts'
import { managed } from '../service/api/states.ts'
import { eventually } from '../support/eventually.ts'
import { HOUR } from '../support/rules.ts'
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
    const pods = { existing: 1, ready: 1, observedGeneration: 1, trouble }

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
})

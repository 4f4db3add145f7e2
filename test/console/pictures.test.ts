import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { PROJECT } from '../support/dormouse.ts'
import { eventually } from '../support/eventually.ts'
import { chromiumForTests, chromiumProgram } from './chromium.ts'
import { SandboxConsole } from './sandbox-console.ts'
import { describeWith } from '../suite/need.ts'

/** The folder for the pictures of README and docs/console.md; without it they are only taken. */
const FOLDER = process.env['DORMOUSE_PICTURES'] === undefined ? undefined : join(PROJECT, 'docs/console')
const SCHEDULES = {
  'deployments/checkout': '7:00-20:00,Mon-Fri',
  'deployments/recommendations': '9:00-17:00,Mon-Thu;9:00-15:00,Fri',
  'deployments/storefront': '8:00-18:00,Mon-Fri',
  'deployments/web': '8:00-18:00,Mon-Fri',
  'statefulsets/orders-db': '0:00-24:00',
  'statefulsets/sessions': '6:00-22:00',
}
const VIEWPORT = { width: 1280, height: 660 }

describeWith(chromiumProgram, 'the pictures of the documentation', function (program) {
  this.timeout(180_000)
  const browser = chromiumForTests(program)
  let sandbox: SandboxConsole

  before('a workload of each sort', async () => {
    sandbox = await SandboxConsole.start()
    await eventually('the pods of the shop', async () => {
      const { current_replicas: count } = await sandbox.status('shop/daemonsets/log-shipper')
      return Number(count) > 0
    })
    for (const [workload, schedule] of Object.entries(SCHEDULES))
      await sandbox.call('POST', `shop/${workload}/enable`, { schedule, timezone: 'Europe/Berlin' })
    await sandbox.call('POST', 'shop/deployments/web/snooze')
    await sandbox.call('POST', 'shop/statefulsets/orders-db/pin')
    await sandbox.call('POST', 'shop/deployments/storefront/wake?for=4h&wait=30s')
  })
  after(async () => await sandbox?.stop())

  for (const [colorScheme, path] of [
    ['light', ''],
    ['dark', '?open=shop/deployment/web'],
  ] as const)
    it(`are taken in ${colorScheme}, with nothing cut at the side and no fault of the page`, async () => {
      const { page, context } = await browser.open('about:blank', { colorScheme, viewport: VIEWPORT })
      await context.addInitScript((token) => sessionStorage.setItem('dormouse.token', token), sandbox.token)
      await page.goto(`${sandbox.api}/console${path}`)
      await page.locator('.status.live').waitFor()
      await page.locator('.all [data-key="shop/deployment/web"]').waitFor()
      if (path !== '') await page.locator('.detail .week').waitFor()
      const unknown = page.locator('.all .strip.loading')
      await eventually('all weeks', async () => (await unknown.count()) === 0)
      expect(await beyond(page)).to.equal(0)
      const picture = await page.screenshot({ animations: 'disabled' })
      expect(picture.length).to.be.greaterThan(20_000)
      if (FOLDER === undefined) return
      await mkdir(FOLDER, { recursive: true })
      await writeFile(join(FOLDER, `${colorScheme}.png`), picture)
    })
})

/** Pixels that the page is wider than its window. */
async function beyond(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
}

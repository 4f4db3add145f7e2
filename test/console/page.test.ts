import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { programEnvironment, PROJECT } from '../support/dormouse.ts'
import { eventually } from '../support/eventually.ts'
import { endsWithTests } from '../support/running-program.ts'
import { violations } from './axe.ts'
import { chromiumForTests, chromiumProgram, watched } from './chromium.ts'
import { SandboxConsole } from './sandbox-console.ts'
import { describeWith } from '../suite/need.ts'

const CLIENT = `${PROJECT}/src/cli/people/main.ts`
const WEB = 'shop/deployments/web'

describeWith(chromiumProgram, 'the console in a browser, on the sandbox', function (program) {
  this.timeout(180_000)
  const browser = chromiumForTests(program)
  let sandbox: SandboxConsole

  before(async () => {
    sandbox = await SandboxConsole.start()
    await sandbox.call('POST', `${WEB}/enable`)
  })
  after(async () => await sandbox?.stop())

  /** Signed in as somebody who has a token, at `path` behind `/console`. */
  const open = async (path = '', options = {}) => {
    const opened = await browser.open('about:blank', options)
    await opened.context.addInitScript((token) => {
      if (sessionStorage.getItem('dormouse.token') === null) sessionStorage.setItem('dormouse.token', token)
    }, sandbox.token)
    const faults = await watched(opened.page, `${sandbox.api}/console${path}`)
    await opened.page.locator('.status.live').waitFor()
    return { ...opened, faults }
  }
  const signIn = async (page: Page) => {
    await page.getByLabel('Token').fill(sandbox.token)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }
  const is = (field: string, value: unknown) =>
    eventually(`${field} to be ${String(value)}`, async () => (await sandbox.status(WEB))[field] === value)
  const rowOf = (page: Page, name: string, namespace = 'shop') =>
    page.locator('.all .row', { has: page.locator(`[data-key="${namespace}/deployment/${name}"]`) })
  const detail = (page: Page) => page.locator('.detail')
  const press = (page: Page, button: string) =>
    detail(page).getByRole('button', { name: button, exact: true }).click()
  const choose = async (page: Page, entry: string) => {
    await press(page, 'More')
    await detail(page)
      .getByRole('menuitem', { name: new RegExp(`^${entry}`) })
      .click()
  }

  it('opens by the link that the sandbox prints, signed in, and the secret leaves the address', async () => {
    const { page, faults } = await browser.open(sandbox.link)
    await rowOf(page, 'web').waitFor()
    expect(page.url()).to.equal(`${sandbox.api}/console`)
    expect(faults).to.deep.equal([])
    expect(await page.context().cookies()).to.deep.equal([])
    const second = await browser.open(sandbox.link)
    await second.page.getByText('this link has been used').waitFor()
  })

  it('wakes and snoozes with one click, and the name of who did it is in the history', async () => {
    const { page, faults } = await open()
    await rowOf(page, 'web').getByRole('button', { name: 'Snooze: web' }).click()
    await rowOf(page, 'web').locator('.state-word', { hasText: 'Asleep' }).waitFor()
    expect(await sandbox.status(WEB)).to.include({ is_snoozed: true, last_replicas: 3 })
    await rowOf(page, 'web').getByText('0 of 3').waitFor()
    await rowOf(page, 'web').getByRole('button', { name: 'Wake 4 h: web' }).click()
    await rowOf(page, 'web').locator('.state-word', { hasText: 'Awake' }).waitFor()
    expect(await sandbox.status(WEB)).to.include({ is_snoozed: false, wake_requested: true })
    await rowOf(page, 'web').locator('.link').click()
    await detail(page).locator('.history').getByText('by you').first().waitFor()
    expect(faults).to.deep.equal([])
  })

  it('has a button for each thing that can be done to a workload', async () => {
    const { page, faults } = await open('?open=shop/deployment/web')
    await press(page, 'Snooze')
    await is('is_snoozed', true)
    await choose(page, 'Keep awake')
    await is('has_manual_override', true)
    await is('is_snoozed', false)
    await press(page, 'Resume schedule')
    await is('has_manual_override', false)
    await choose(page, 'Pin')
    await is('pin_state', 'active')
    await press(page, 'Unpin')
    await is('pin_state', 'none')
    await choose(page, 'Snooze until…')
    await page.locator('dialog').getByRole('button', { name: '8:00 tomorrow' }).click()
    await page.locator('dialog').getByRole('button', { name: 'Snooze' }).click()
    await is('is_snoozed', true)
    await detail(page).locator('.week').waitFor()
    await press(page, 'Wake 4 h')
    await is('is_snoozed', false)
    expect(faults).to.deep.equal([])
  })

  it('shows each state in full, whatever the width', async () => {
    const sleeper = 'staging/statefulsets/search'
    for (const call of ['enable', 'snooze', 'override']) await sandbox.call('POST', `${sleeper}/${call}`)
    const { page } = await open()
    for (const width of [1440, 1280, 1024, 390]) {
      await page.setViewportSize({ width, height: 800 })
      const badge = page.locator('.all .state-word span', { hasText: 'Schedule off, asleep' })
      await badge.waitFor()
      // Half a pixel that is missing costs two letters; `scrollWidth` is rounded.
      const missing = await badge.evaluate((text) => {
        const words = document.createRange()
        words.selectNodeContents(text)
        return words.getBoundingClientRect().width - text.getBoundingClientRect().width
      })
      expect(missing, `pixels missing at ${width} px`).to.be.at.most(0)
    }
    await sandbox.call('POST', `${sleeper}/disable`)
  })

  it('manages what nobody managed, once it knows the hours, changes them, and stops managing', async () => {
    const storefront = () => sandbox.status('shop/deployments/storefront')
    const { page, faults } = await open('?state=all&open=shop/deployment/storefront')
    expect(await rowOf(page, 'storefront').getByRole('button').count(), 'nothing but its name').to.equal(1)
    await press(page, 'Manage…')
    const dialog = page.locator('dialog')
    expect((await storefront())['enabled']).to.equal(false)
    await dialog.getByLabel('It runs').fill('8:00-18')
    await dialog.getByRole('button', { name: 'Manage', exact: true }).click()
    const fault = dialog.locator('label', { hasText: 'It runs' }).getByRole('alert')
    await fault.waitFor()
    expect(await fault.innerText(), 'in the words of the page').to.match(/^expected /)
    const described = await dialog.getByLabel('It runs').getAttribute('aria-describedby')
    expect(described).to.equal(await fault.getAttribute('id'))
    expect((await storefront())['enabled']).to.equal(false)
    expect(await violations(page)).to.deep.equal([])
    await dialog.getByLabel('It runs').fill('0:00-0:01')
    await dialog.getByText('It falls asleep at once').waitFor()
    expect(await dialog.locator('.week tr').count(), 'days').to.equal(7)
    expect((await storefront())['enabled']).to.equal(false)
    expect(await violations(page)).to.deep.equal([])
    await dialog.getByLabel('It runs').fill('0:00-24:00')
    await dialog.getByText('Awake throughout').waitFor()
    await dialog.getByRole('button', { name: 'Manage', exact: true }).click()
    await detail(page).getByRole('button', { name: 'More', exact: true }).waitFor()
    expect(await storefront()).to.include({
      enabled: true,
      wake_schedule: '0:00-24:00',
      timezone: 'Europe/Berlin',
    })
    await choose(page, 'Hours…')
    expect(await dialog.getByLabel('It runs').inputValue()).to.equal('0:00-24:00')
    const sent = page.waitForRequest(/\/schedule$/)
    await dialog.getByLabel('Time zone').fill('Asia/Tokyo')
    await dialog.getByRole('button', { name: 'Set hours' }).click()
    expect((await sent).postDataJSON(), 'hours that were left alone stay whose they are').to.deep.equal({
      timezone: 'Asia/Tokyo',
    })
    await dialog.waitFor({ state: 'hidden' })
    expect(await storefront()).to.include({ timezone: 'Asia/Tokyo', wake_schedule: '0:00-24:00' })
    await choose(page, 'Hours…')
    await sandbox.call('PUT', 'shop/deployments/storefront/schedule', { timezone: 'Asia/Seoul' })
    await eventually('what others change', async () => {
      return (await dialog.getByLabel('Time zone').inputValue()) === 'Asia/Seoul'
    })
    await dialog.getByLabel('It runs').fill('0:00-23:59')
    await dialog.getByRole('button', { name: 'Set hours' }).click()
    await eventually('the hours', async () => (await storefront())['wake_schedule'] === '0:00-23:59')
    expect(await storefront(), 'a zone that nobody edited').to.include({ timezone: 'Asia/Seoul' })
    await choose(page, 'Stop managing')
    await detail(page).getByRole('button', { name: 'Manage…' }).waitFor()
    expect((await storefront())['enabled']).to.equal(false)
    expect(faults).to.deep.equal([])
  })

  it('says of a link to a workload that is gone that it is not there', async () => {
    const { page } = await open('?open=shop/deployment/nosuch')
    await page.getByText('shop/nosuch is not there, or you may not see it.').waitFor()
    expect(await violations(page)).to.deep.equal([])
    await page.locator('.absent').getByRole('button', { name: 'Close' }).click()
    await page.locator('.absent').waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).to.equal('')
  })

  it('says of a click that nobody answered that it was not done, and leaves it at that', async () => {
    const { page } = await open('?open=shop/deployment/web')
    await sandbox.call('POST', `${WEB}/snooze`)
    let clicks = 0
    await page.route('**/wake?for=4h', (route) => {
      clicks += 1
      return route.abort()
    })
    await press(page, 'Wake 4 h')
    const notice = page.locator('.notice')
    await notice.waitFor()
    expect(await notice.innerText()).to.include(
      'web was not woken: Dormouse does not answer. Click again once it is back.',
    )
    await page.unroute('**/wake?for=4h')
    await page.reload()
    await rowOf(page, 'web').waitFor()
    expect(clicks).to.equal(1)
    expect(await sandbox.status(WEB)).to.include({ is_snoozed: true })
    await choose(page, 'Keep awake')
    await detail(page).getByRole('button', { name: 'Resume schedule' }).waitFor()
    await press(page, 'Resume schedule')
    await page.route('**/override', (route) => route.abort())
    await choose(page, 'Keep awake')
    await page.getByText('Only the first half was done').waitFor()
    await page.unroute('**/override')
  })

  it('shows what others do, as they do it', async () => {
    const { page } = await open()
    await sandbox.call('POST', `${WEB}/pin`)
    await rowOf(page, 'web').locator('.state-word', { hasText: 'Pinned, awake' }).waitFor()
    await sandbox.call('DELETE', `${WEB}/pin`)
    await rowOf(page, 'web').locator('.state-word', { hasText: 'Pinned' }).waitFor({ state: 'detached' })
  })

  it('asks what would happen before it does anything to many, and shows the counts', async () => {
    const { page, faults } = await open('?namespace=staging')
    await page.getByRole('button', { name: 'All of staging…' }).click()
    const dialog = page.locator('dialog')
    await dialog.getByLabel('What to do').selectOption({ label: 'Pin' })
    await dialog.getByText('would be refused').waitFor()
    expect((await sandbox.status('staging/deployments/checkout'))['pin_state']).to.equal('none')
    await dialog.getByLabel('Only those with labels').fill('app=checkout')
    await dialog.getByRole('button', { name: 'Pin: 1 workload' }).click()
    await rowOf(page, 'checkout', 'staging').locator('.state-word', { hasText: 'Pinned, awake' }).waitFor()
    await sandbox.call('DELETE', 'staging/deployments/checkout/pin')
    expect(faults).to.deep.equal([])
  })

  it('asks again what would happen where the API says to wait, or nobody answers', async () => {
    const { page } = await open('?namespace=staging')
    let asked = 0
    const seen = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await page.route('**/namespaces/staging/wake?*dryRun=true', async (route) => {
      asked += 1
      // Each fault stands until it was seen.
      await seen[asked - 2]?.promise
      if (asked === 2) return route.abort()
      if (asked > 2) return route.continue()
      const error = { code: 'RATE_LIMITED', message: 'wait for its answer' }
      return route.fulfill({ status: 429, headers: { 'Retry-After': '1' }, json: { error } })
    })
    await page.getByRole('button', { name: 'All of staging…' }).click()
    await page.locator('.dry .fault').getByText('wait for its answer').waitFor()
    seen[0]?.resolve()
    await page.locator('.dry .fault').getByText('Dormouse does not answer').waitFor()
    seen[1]?.resolve()
    await page.locator('.counts').waitFor()
    expect(asked).to.equal(3)
  })

  it('asks about a namespace of the address alone, whatever a link makes of it', async () => {
    const name = 'shop/deployments/web/snooze?force=true#'
    await sandbox.call('POST', `${WEB}/wake`)
    const { page } = await open(`?namespace=${encodeURIComponent(name)}`)
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.method() !== 'GET') sent.push(new URL(request.url()).pathname)
    })
    await page.getByRole('button', { name: 'All of shop' }).click()
    await page.locator('.dry .fault').waitFor()
    expect(sent).to.not.deep.equal([])
    for (const path of sent) expect(path).to.equal(`/api/v1/namespaces/${encodeURIComponent(name)}/wake`)
    expect(await sandbox.status(WEB)).to.include({ is_snoozed: false })
  })

  it('searches and filters; what is shown stands in the address, and Back goes back', async () => {
    const { page } = await open()
    await page.keyboard.press('/')
    await page.keyboard.type('check staging')
    await eventually('one row', async () => (await page.locator('.all [data-key]').count()) === 1)
    await page.reload()
    await rowOf(page, 'checkout', 'staging').waitFor()
    expect(await page.locator('.all [data-key]').count()).to.equal(1)
    await rowOf(page, 'checkout', 'staging').locator('.link').click()
    await detail(page).waitFor()
    expect(page.url()).to.include('open=staging%2Fdeployment%2Fcheckout')
    await page.goBack()
    await detail(page).waitFor({ state: 'detached' })
    await page.goForward()
    await detail(page).waitFor()
    await page.getByRole('searchbox').fill('nothing is called so')
    await page.getByRole('button', { name: 'Show all' }).click()
    await rowOf(page, 'web').waitFor()
  })

  it('keeps what was clicked with an expired token, does it after the sign-in, and also after a reload', async () => {
    const { page } = await open('?open=shop/deployment/web')
    await page.route('**/wake?for=4h', (route) =>
      route.continue({ headers: { ...route.request().headers(), authorization: 'Bearer a.b.c' } }),
    )
    await press(page, 'Awake 4 h')
    await page.getByText('Wake for 4 h shop/web').waitFor()
    await page.unroute('**/wake?for=4h')
    await page.evaluate(() => sessionStorage.setItem('dormouse.token', ''))
    await page.reload()
    await page.getByText('Wake for 4 h shop/web').waitFor()
    await page.getByLabel('Token').fill(sandbox.token)
    await page.getByRole('button', { name: 'Sign in and do it' }).click()
    await page.locator('.notice', { hasText: 'web stays awake. Awake by request of you' }).waitFor()
  })

  it('a second tab is signed in by the first, and a token stays in the tabs alone', async () => {
    const { context, faults } = await open()
    const second = await context.newPage()
    await second.addInitScript(() => sessionStorage.removeItem('dormouse.token'))
    const faultsOfSecond = await watched(second, `${sandbox.api}/console`)
    await second.locator('.status.live').waitFor()
    await rowOf(second, 'web').waitFor()
    expect([...faults, ...faultsOfSecond]).to.deep.equal([])
    expect(await second.evaluate(() => localStorage.length)).to.equal(0)
  })

  it('a sign-out in one tab signs all of them out, and none of them signs it in again', async () => {
    const address = `${sandbox.api}/console?open=shop/deployment/web`
    const { page, context, faults } = await browser.open(address)
    await signIn(page)
    await detail(page).waitFor()
    const second = await context.newPage()
    const faultsOfSecond = await watched(second, address)
    await detail(second).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Token').waitFor()
    await second.getByText('You signed out in another tab').waitFor()
    for (const tab of [page, second]) {
      expect(await tab.evaluate(() => sessionStorage.getItem('dormouse.token') ?? '')).to.equal('')
      expect(await tab.locator('.all .row, .detail').count()).to.equal(0)
    }
    await signIn(second)
    for (const tab of [second, page]) await rowOf(tab, 'web').waitFor()
    expect([...faults, ...faultsOfSecond]).to.deep.equal([])
  })

  it('says where a token is to be had: in the sandbox it was printed', async () => {
    const { page } = await browser.open(`${sandbox.api}/console`)
    await page.getByLabel('Token').waitFor()
    await page.getByText('Paste the token that the sandbox printed').waitFor()
    expect(await page.getByText('kubectl create token').count()).to.equal(0)
  })

  it('over a kubeconfig it asks for no token, but for the link, and acts beside a second tab with the name of the kubeconfig', async () => {
    const args = [CLIENT, 'console', '--no-open', '--kubeconfig', sandbox.kubeconfig]
    const child = spawn(process.execPath, args, {
      env: programEnvironment(),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    endsWithTests(child)
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
    const { page } = await browser.open(new URL('/console', line).href)
    const dialog = page.locator('dialog')
    await dialog
      .getByText(/The link that was printed signs in once.*end .*dormouse console and start it again/)
      .waitFor()
    expect(await dialog.locator('input').count()).to.equal(0)
    expect(await dialog.getByText('kubectl create token').count()).to.equal(0)
    const signedIn = await page.context().newPage()
    await watched(signedIn, line)
    await rowOf(page, 'web').waitFor()
    await sandbox.call('POST', `${WEB}/snooze`)
    await rowOf(signedIn, 'web').getByRole('button', { name: 'Wake 4 h: web' }).click()
    await rowOf(page, 'web').locator('.state-word', { hasText: 'Awake' }).waitFor()
    const { operation_history: history } = await sandbox.status(WEB)
    expect((history as object[])[0]).to.include({ type: 'wake', trigger: 'api', by: 'k8s:sandbox-admin' })
    child.kill('SIGINT')
    expect(await once(child, 'exit')).to.deep.equal([0, null])
  })

  it('can be used by the keyboard alone', async () => {
    const { page } = await open()
    await page.getByRole('searchbox').focus()
    for (let step = 0; step < 12; step += 1) {
      if (await page.evaluate(() => document.activeElement?.matches('.all .row button') === true)) break
      await page.keyboard.press('Tab')
    }
    const focused = () =>
      page.evaluate(
        () => document.activeElement?.getAttribute('data-key') ?? document.activeElement?.textContent?.trim(),
      )
    expect(await focused(), 'the line of its namespace').to.equal('All of shop…')
    await page.keyboard.press('ArrowDown')
    await eventually('a row to have the focus', async () => (await focused())?.startsWith('shop/'))
    const first = await focused()
    await page.keyboard.press('ArrowDown')
    await eventually('the next row to have the focus', async () => (await focused()) !== first)
    await page.keyboard.press('End')
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowDown')
    await eventually('the first row to have the focus', async () => (await focused()) === first)
    await page.keyboard.press('Enter')
    await detail(page).waitFor()
    await eventually(
      'the heading to have the focus',
      async () => (await page.evaluate(() => document.activeElement?.id)) === 'detail-name',
    )
    await page.keyboard.press('Escape')
    await detail(page).waitFor({ state: 'detached' })
    await eventually('the row to have the focus again', async () => (await focused()) === first)
  })

  it('takes back what was clicked', async () => {
    await sandbox.call('POST', `${WEB}/wake`)
    const { page } = await open('?open=shop/deployment/web')
    const undo = (text: string) =>
      page.locator('.notice', { hasText: text }).getByRole('button', { name: 'Undo' }).click()
    await press(page, 'Snooze')
    await is('is_snoozed', true)
    await undo('web goes to sleep')
    await is('is_snoozed', false)
    await choose(page, 'Pin')
    await is('pin_state', 'active')
    await undo('web is pinned')
    await is('pin_state', 'none')
  })

  it('opens menus by the keyboard, and closes them without closing what is behind', async () => {
    const { page } = await open('?open=shop/deployment/web')
    await detail(page).getByRole('button', { name: 'More', exact: true }).focus()
    await page.keyboard.press('Enter')
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '')
    await eventually('the first entry', async () => (await focused()).startsWith('Snooze until…'))
    await page.keyboard.press('ArrowUp')
    await eventually('the last entry', async () => (await focused()).startsWith('Stop managing'))
    await page.keyboard.press('Escape')
    await eventually('the button', async () => (await focused()) === 'More')
    expect(await detail(page).getByRole('menu').count()).to.equal(0)
    await detail(page).waitFor()
  })

  it('names cluster and person, in the tab too, and orders by a click on a head', async () => {
    const { page } = await open()
    expect(await page.title()).to.equal('sandbox · Dormouse')
    expect(await page.locator('.top').innerText()).to.match(/sandbox[^]*you/)
    const inOrder = (all: readonly (string | undefined)[]) =>
      all.toSorted((a = '', b = '') => (a === b ? 0 : a < b ? -1 : 1))
    const names = () =>
      page
        .locator('.all [data-key]')
        .evaluateAll((all) => all.map((each) => each.getAttribute('data-key')?.split('/').at(-1)))
    await page.getByRole('columnheader', { name: 'Workload' }).getByRole('button').click()
    await eventually(
      'the names in order',
      async () => JSON.stringify(await names()) === JSON.stringify(inOrder(await names())),
    )
    expect(await page.locator('.group').count()).to.equal(0)
    await page.getByRole('columnheader', { name: 'Workload' }).getByRole('button').click()
    await eventually('the other way', async () => page.url().includes('sort=-workload'))
    expect(await names()).to.deep.equal(inOrder(await names()).toReversed())
  })

  it('who may only read learns it once, and then sees buttons that say so', async () => {
    const { page } = await open('?open=shop/deployment/web')
    const message = 'local:reader may not: your token lacks the scope dormouse:write. Ask for one that has it'
    await page.route('**/pin', (route) =>
      route.fulfill({
        status: 403,
        json: { success: false, error: { code: 'FORBIDDEN', message, details: {} } },
      }),
    )
    await choose(page, 'Pin')
    await page.locator('.notice', { hasText: 'web was not pinned: your token lacks the scope' }).waitFor()
    await detail(page).getByText('your token lacks the scope').waitFor()
    await press(page, 'More')
    const entry = (name: RegExp) => detail(page).getByRole('menuitem', { name }).getAttribute('aria-disabled')
    expect([await entry(/^Pin/), await entry(/^Stop managing/)]).to.deep.equal(['true', 'false'])
  })

  it('a token that only reads has no button to click, and is told why', async () => {
    const { page } = await open()
    await page.route('**/api/v1', async (route) => {
      const body = (await (await route.fetch()).json()) as { data: object }
      await route.fulfill({ json: { ...body, data: { ...body.data, may_change: false } } })
    })
    await page.goto(`${sandbox.api}/console?open=shop/deployment/web`)
    await detail(page).getByText('your token only reads').waitFor()
    const snooze = page.locator('.all .act button[aria-disabled=true]').first()
    expect(await snooze.getAttribute('title')).to.include('your token only reads')
  })

  it('shows the times of the strip where the mouse is', async () => {
    const { page } = await open('?open=shop/deployment/web')
    const strip = detail(page).locator('.coming-week')
    await strip.hover({ position: { x: 300, y: 8 } })
    expect(await strip.locator('.tip').innerText()).to.match(/^(?:awake|asleep) /)
  })

  it('says so when Dormouse does not answer, and goes on by itself', async () => {
    const { page } = await open()
    await page.route('**/api/**', (route) => route.abort())
    await page.goto(`${sandbox.api}/console`)
    await page.locator('.banner').waitFor()
    expect(await page.locator('.banner').textContent()).to.include('Dormouse does not answer')
    await page.unroute('**/api/**')
    await page.locator('.status.live').waitFor()
    await page.locator('.banner').waitFor({ state: 'detached' })
  })

  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1280, 390])
      it(`axe finds nothing in ${colorScheme} at ${width} px: the list, a workload, each dialog, the sign-in`, async () => {
        // So that it has a history, whichever tests ran before.
        for (const verb of ['snooze', 'wake']) await sandbox.call('POST', `${WEB}/${verb}?force=true`)
        const { page } = await open('', { colorScheme, viewport: { width, height: 800 } })
        await rowOf(page, 'web').waitFor()
        expect(await violations(page), 'the list').to.deep.equal([])
        await page.goto(`${sandbox.api}/console?namespace=shop&open=shop/deployment/web`)
        await detail(page).locator('.history').waitFor()
        expect(await violations(page), 'a workload').to.deep.equal([])
        await press(page, 'More')
        expect(await violations(page), 'a menu').to.deep.equal([])
        await page.keyboard.press('Escape')
        await choose(page, 'Snooze until…')
        await page.locator('dialog').waitFor()
        expect(await violations(page), 'until').to.deep.equal([])
        await page.keyboard.press('Escape')
        await page.goto(`${sandbox.api}/console?namespace=shop`)
        await page.getByRole('button', { name: 'All of shop…' }).click()
        await page.locator('.counts').waitFor()
        expect(await violations(page), 'many').to.deep.equal([])
        await page.evaluate(() => sessionStorage.setItem('dormouse.token', ''))
        await page.goto(`${sandbox.api}/console`)
        await page.getByLabel('Token').waitFor()
        expect(await violations(page), 'the sign-in').to.deep.equal([])
      })
})

import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { readLanguages } from '../../../src/waker/page/texts.ts'
import { pageListener } from '../../../src/waker/page/page-listener.ts'
import type { SleepingPort } from '../../../src/waker/ports.ts'
import { violations } from '../../console/axe.ts'
import { chromiumForTests, chromiumProgram } from '../../console/chromium.ts'
import { describeWith } from '../../suite/need.ts'
import { eventually } from '../../support/eventually.ts'
import { httpServer } from '../../support/http-server.ts'
import { anAnswer, NOW, WEB } from './sleeper.ts'

const texts = readLanguages('waker.page more.yaml', 'ar: { asleep: "{service} نائم", button: أيقظه }')
const APP = '<!doctype html><html lang="en"><title>The app</title><main><h1>The app</h1></main>'
const HIDDEN = `Object.defineProperty(document, 'hidden', { configurable: true, get: () => globalThis.isHidden ?? true })`

describeWith(chromiumProgram, 'the page in a browser', function (program) {
  this.timeout(120_000)
  const browser = chromiumForTests(program)
  let port: SleepingPort = WEB
  let answer: ReturnType<typeof anAnswer> | undefined = anAnswer()
  /** The one that answers: we, the app, a proxy that finds nobody, or nobody. */
  let serves: 'page' | 'app' | 'proxy' | 'app for scripts' | 'nobody' = 'page'
  let loads: string[] = []
  let asked: string[] = []
  let asks: ('look' | 'wake')[] = []
  const listens = [false, true].map((details) =>
    pageListener({ texts, details, ignoreAgents: [], clock: () => NOW }),
  )
  let details = false
  const server = httpServer((req, res) => {
    const isScript = req.headers.accept === 'application/vnd.dormouse+json'
    if (isScript) asked.push(req.url ?? '')
    if (!isScript && req.url !== '/favicon.ico') loads.push(`${req.method} ${req.url}`)
    if (serves === 'nobody') return void req.socket.destroy()
    if (serves === 'proxy' && isScript)
      return void res.writeHead(503, { 'Content-Type': 'text/html' }).end('nobody')
    if (serves === 'app' || (serves === 'app for scripts' && isScript))
      return void res.writeHead(200, { 'Content-Type': 'text/html', 'Cache-Control': 'no-store' }).end(APP)
    const told = async (what: 'look' | 'wake') => {
      asks.push(what)
      if (what === 'wake' && answer?.state === 'asleep') answer = anAnswer({ state: 'waking' })
      return answer
    }
    listens[Number(details)]?.(port, { look: () => told('look'), wake: () => told('wake') }, req, res)
  })
  const headline = (page: Page) => page.locator('h1')
  const says = (page: Page, text: string) => page.locator('h1', { hasText: text }).waitFor()

  beforeEach(() => {
    port = WEB
    answer = anAnswer()
    serves = 'page'
    details = false
    loads = []
    asked = []
    asks = []
  })

  it('wakes it, says so, waits while a proxy finds nobody, and opens the app once, behind the same address', async () => {
    const { page, faults } = await browser.open(`${server.url}/cart?id=3#top`)
    await says(page, 'web is waking up')
    expect(await page.title()).to.equal('web is waking up')
    expect(await page.locator('#lines').textContent()).to.include('usually takes 38 seconds')
    expect(asks.filter((what) => what === 'wake')).to.have.length(1)
    serves = 'proxy'
    await page.waitForResponse((response) => response.status() === 503)
    serves = 'app'
    await says(page, 'The app')
    expect(page.url()).to.equal(`${server.url}/cart?id=3#top`)
    expect(loads).to.deep.equal(['GET /cart?id=3', 'GET /cart?id=3'])
    // A link that is good for once is used by the browser alone.
    expect(new Set(asked)).to.deep.equal(new Set(['/cart']))
    expect(faults).to.deep.equal([])
  })

  it('wakes nothing in a tab that nobody sees, and does once somebody looks', async () => {
    const { page, context } = await browser.open('about:blank')
    await context.addInitScript({ content: HIDDEN })
    await page.goto(server.url)
    await says(page, 'web is asleep')
    await page.waitForTimeout(1500)
    expect(asks).to.deep.equal(['look'])
    await page.evaluate("isHidden = false; document.dispatchEvent(new Event('visibilitychange'))")
    await says(page, 'web is waking up')
  })

  it('waits for the button where a person is to press it, by the keyboard, too', async () => {
    port = { ...WEB, mode: 'button' }
    const { page } = await browser.open(server.url)
    await page.waitForResponse((response) => response.request().resourceType() === 'fetch')
    expect(asks).not.to.include('wake')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await says(page, 'web is waking up')
    expect(await page.locator('button:visible').count()).to.equal(0)
    expect(await page.evaluate('document.activeElement.id')).to.equal('main')
  })

  it('does not wake a second time what went back to sleep: it shows the button', async () => {
    const { page } = await browser.open(server.url)
    await says(page, 'web is waking up')
    answer = anAnswer()
    await says(page, 'web is asleep')
    await page.locator('#wake:visible').waitFor()
    expect(asks.filter((what) => what === 'wake')).to.have.length(1)
    await page.locator('#wake').click()
    await says(page, 'web is waking up')
  })

  it('keeps asking to wake it while Dormouse cannot be asked', async () => {
    answer = undefined
    const { page } = await browser.open(server.url)
    await says(page, 'web does not answer')
    await eventually('a wake', () => asks.includes('wake'))
    answer = anAnswer()
    await says(page, 'web is waking up')
  })

  it('opens the app by GET after a form, which is not sent again', async () => {
    serves = 'app'
    const { page } = await browser.open(`${server.url}/order`)
    serves = 'page'
    await page.evaluate(
      `document.body.innerHTML = '<form method=post action=/order><button>Send</button></form>'`,
    )
    await page.locator('button').click()
    await page.locator('text=will not be sent again').waitFor()
    serves = 'app'
    await says(page, 'The app')
    expect(loads).to.deep.equal(['GET /order', 'POST /order', 'GET /order'])
  })

  it('does not load itself again and again where something on the way answers scripts alone', async () => {
    serves = 'app for scripts'
    const { page } = await browser.open(server.url)
    await page.locator('#stuck:visible').waitFor()
    expect(loads).to.have.length(4)
    serves = 'app'
    await page.locator('#again').click()
    await says(page, 'The app')
  })

  it('says that the network fails, and goes on once it is back', async () => {
    answer = anAnswer({ state: 'held', until: null })
    const { page } = await browser.open(server.url)
    await says(page, 'web is kept asleep')
    serves = 'nobody'
    await page.locator('#offline:visible').waitFor()
    serves = 'page'
    await page.locator('#offline').waitFor({ state: 'hidden' })
  })

  it("tells the time in the reader's zone, and in UTC and how to wake it without scripts", async () => {
    answer = anAnswer({ state: 'held', until: '2026-11-30T07:00:00Z' })
    const german = await browser.open(server.url, { locale: 'de-AT' })
    expect(await german.page.locator('#lines').textContent()).to.match(
      /bis Mo\., 30\. Nov\., 08:00 im Schlaf/,
    )
    answer = anAnswer()
    const plain = await browser.open(server.url, { javaScriptEnabled: false })
    expect(await headline(plain.page).textContent()).to.equal('web is asleep')
    expect(await plain.page.locator('time').textContent()).to.equal('Mon 30 Nov, 07:00 UTC')
    await plain.page.locator('#needs:visible').waitFor()
  })

  for (const [name, of, mode, isDetailed] of [
    ['asleep', anAnswer(), 'page', false],
    ['waking', anAnswer({ state: 'waking' }), 'page', false],
    ['late', anAnswer({ state: 'waking', late: true }), 'page', true],
    ['held', anAnswer({ state: 'held', until: '2026-11-30T07:00:00Z' }), 'page', true],
    ['button', anAnswer(), 'button', false],
  ] as const)
    for (const width of [390, 1280])
      for (const colorScheme of ['light', 'dark'] as const)
        it(`has no fault that axe finds, and nothing beyond its side: ${name}, ${width} px, ${colorScheme}`, async () => {
          port = { ...WEB, mode }
          details = isDetailed
          answer = of
          const { page, faults } = await browser.open('about:blank', {
            viewport: { width, height: 800 },
            colorScheme,
          })
          // The page as it is until the script's first answer.
          if (name === 'asleep')
            await page.route('**/*', async (route) => {
              if (route.request().resourceType() !== 'fetch') await route.continue()
            })
          await page.goto(server.url)
          await headline(page).waitFor()
          if (process.env['DORMOUSE_PAGES'])
            await page.screenshot({
              path: `${process.env['DORMOUSE_PAGES']}/${name}-${width}-${colorScheme}.png`,
            })
          expect(await violations(page)).to.deep.equal([])
          expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).to.be.at.most(0)
          expect(faults).to.deep.equal([])
        })
})

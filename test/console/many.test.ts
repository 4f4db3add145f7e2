import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { Console } from '../../src/console/console.ts'
import { aWorkload } from '../support/fake-cluster.ts'
import { NOON, Service, token } from '../service/api/service.ts'
import { managed } from '../service/api/states.ts'
import { eventually } from '../support/eventually.ts'
import { print } from '../support/figures.ts'
import { chromiumForTests, chromiumProgram, watched } from './chromium.ts'
import { describeWith } from '../suite/need.ts'

const COUNT = 5000
/** Those that are managed, and the lines of their 32 namespaces. */
const ROWS = 4032
const MOST_ROWS = 100
/** The browser's bound of a long task, in milliseconds, on a machine that does `yardstick` in so many. */
const LONG = 50
const YARD = 6

interface TraceEvent {
  readonly name: string
  readonly dur?: number
  readonly tdur?: number
}

describeWith(chromiumProgram, 'the console with 5,000 workloads', function (program) {
  this.timeout(240_000)
  const browser = chromiumForTests(program)
  let service: Service
  let bearer: string

  before(async () => {
    service = await Service.start({}, { console: new Console() })
    for (let n = 0; n < COUNT; n += 1) {
      const at = {
        namespace: `team-${n % 40}`,
        name: `w${String(n).padStart(4, '0')}-${'long-'.repeat(n % 9)}name`,
      }
      service.cluster.put(n % 5 === 0 ? aWorkload(at) : managed({}, at))
    }
    bearer = await token()
  })
  after(async () => await service?.stop())

  it('has at most 100 rows in the page, and no task above 50 ms while scrolling', async () => {
    const { page, context } = await browser.open('about:blank')
    await page.clock.setFixedTime(NOON)
    await page.addInitScript((bearer) => sessionStorage.setItem('dormouse.token', bearer), bearer)
    const faults = await watched(page, `${service.server.url}/console`)
    await page.getByText('Managed 4,000').waitFor()
    const rows = () => page.locator('.all .row').count()
    expect(await rows())
      .to.be.above(10)
      .and.at.most(MOST_ROWS)

    const before = await yardstick(page)
    const session = await context.newCDPSession(page)
    const events: TraceEvent[] = []
    session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])))
    await session.send('Tracing.start', {
      transferMode: 'ReportEvents',
      traceConfig: {
        includedCategories: ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline'],
      },
    })
    let most = 0
    for (let top = 0; top < ROWS * 44 + 9000; top += 9000) {
      await page.locator('.scroller').evaluate((box, to) => box.scrollTo(0, to), top)
      await page.evaluate(
        () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
      )
      most = Math.max(most, await rows())
    }
    const complete = new Promise<void>((resolve) => session.once('Tracing.tracingComplete', () => resolve()))
    await session.send('Tracing.end')
    await complete
    expect(most).to.be.at.most(MOST_ROWS)
    // By CPU time: what other programs take of the machine is not the page's.
    const tasks = events.filter(({ name }) => name === 'RunTask' || name === 'ThreadControllerImpl::RunTask')
    const longest = Math.max(...tasks.map(({ tdur, dur = 0 }) => (tdur ?? dur) / 1000))
    const yard = Math.max(before, await yardstick(page))
    print([
      `${tasks.length} tasks while scrolling, the longest took ${longest.toFixed(1)} ms of CPU; yardstick ${yard.toFixed(2)} ms`,
    ])
    expect(tasks).to.have.length.above(50)
    expect(longest).to.be.below(LONG * Math.max(1, yard / YARD))
    await eventually(
      'the last row',
      async () => (await page.locator('.all .row').last().getAttribute('aria-rowindex')) === `${ROWS + 1}`,
    )
    expect(faults).to.deep.equal([])
  })

  it('paints the list within a second of the first data', async () => {
    const { page } = await browser.open('about:blank')
    await page.clock.setFixedTime(NOON)
    await page.addInitScript((bearer) => {
      sessionStorage.setItem('dormouse.token', bearer)
      const { fetch } = globalThis
      globalThis.fetch = async (...args: Parameters<typeof fetch>) => {
        const response = await fetch(...args)
        if (JSON.stringify(args[0]).includes('watch=true')) performance.mark('data')
        return response
      }
      new MutationObserver(() => {
        if (document.querySelector('.all .row') && performance.getEntriesByName('row').length === 0)
          requestAnimationFrame(() => requestAnimationFrame(() => performance.mark('row')))
      }).observe(document, { childList: true, subtree: true })
    }, bearer)
    await watched(page, `${service.server.url}/console`)
    await page.getByText('Managed 4,000').waitFor()
    const took = await page.evaluate(() => performance.measure('paint', 'data', 'row').duration)
    print([`the first rows were painted ${took.toFixed(0)} ms after the data began`])
    // A second on a machine of its own (docs/console.md); here others may run beside.
    expect(took).to.be.below(10_000)
  })

  it('goes to the last of them by a key, and to any by its name', async () => {
    const { page } = await browser.open('about:blank')
    await page.clock.setFixedTime(NOON)
    await page.addInitScript((bearer) => sessionStorage.setItem('dormouse.token', bearer), bearer)
    await watched(page, `${service.server.url}/console`)
    await page.getByText('Managed 4,000').waitFor()
    await page.locator('.all .row .link').first().focus()
    await page.keyboard.press('End')
    await eventually('the last row to have the focus', () =>
      page.evaluate(
        (last) => document.activeElement?.closest('.row')?.getAttribute('aria-rowindex') === last,
        `${ROWS + 1}`,
      ),
    )
    await page.getByRole('searchbox').fill('w4321')
    await eventually('one row', async () => (await page.locator('.all [data-key]').count()) === 1)
  })
})

/** Milliseconds that the browser needs, when nothing disturbs it, for the same small piece of work anywhere. */
function yardstick(page: Page): Promise<number> {
  return page.evaluate(() => {
    const times = Array.from({ length: 40 }, () => {
      const begun = performance.now()
      const box = document.createElement('div')
      for (let n = 0; n < 500; n += 1) {
        const row = document.createElement('p')
        const name = document.createElement('b')
        name.textContent = `row ${n}`
        row.append(name, String(n))
        box.append(row)
      }
      document.body.append(box)
      box.getBoundingClientRect()
      box.remove()
      return performance.now() - begun
    })
    return Math.min(...times)
  })
}

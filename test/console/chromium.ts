import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import type { Need } from '../suite/need.ts'
import { onPath } from '../suite/on-path.ts'

/** The path of a browser: Debian's name, and those of others. */
export const chromiumProgram: Need<string> = {
  phrase: 'with Chromium',
  quick: true,
  gotten: 'installed by .ci/install (Debian: chromium)',
  find: () =>
    ['chromium', 'chromium-browser', 'google-chrome']
      .map((name) => onPath(name, ['--version'], /^(?:Google )?Chrom/))
      .find((path) => path !== undefined),
}

/** A page of the console in Chromium, and the errors that the browser found. */
export interface OpenPage {
  readonly page: Page
  readonly context: BrowserContext
  /** Errors, warnings, exceptions, and violations of the Content-Security-Policy; refusals by the server are none. */
  readonly faults: string[]
}

/** Starts Chromium before the tests and ends it after them. */
export function chromiumForTests(program: string): {
  open(url: string, options?: BrowserContextOptions): Promise<OpenPage>
} {
  let browser: Browser | undefined
  const contexts: BrowserContext[] = []

  before('Chromium runs', async function () {
    this.timeout(120_000)
    // Here, since whoever only asks whether there is a browser does not need it.
    const { chromium } = await import('playwright-core')
    // Its own sandbox needs a user that is not root.
    browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox'] })
  })
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close()
  })
  after(async () => await browser?.close())

  return {
    async open(url, options) {
      if (!browser) throw new TypeError('Chromium runs only within tests')
      const context = await browser.newContext({
        viewport: { width: 1280, height: 800 },
        timezoneId: 'Europe/Berlin',
        ...options,
      })
      context.setDefaultTimeout(60_000)
      contexts.push(context)
      const page = await context.newPage()
      return { page, context, faults: await watched(page, url) }
    },
  }
}

/** Opens an address in a page; errors are added to the result as they happen. */
export async function watched(page: Page, url: string): Promise<string[]> {
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    const text = message.text()
    if (!['error', 'warning'].includes(message.type())) return
    if (!/^Failed to load resource: (?:the server responded with|net::)/.test(text)) faults.push(text)
  })
  // As text, since importers may lack the browser's types.
  await page.addInitScript({
    content: `document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      reportError(new Error('Content-Security-Policy: ' + violatedDirective + ' ' + blockedURI))
    })`,
  })
  await page.goto(url)
  return faults
}

import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** axe's finds in a page. By the browser's own protocol: the page's policy lets in no script of others. */
export async function violations(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page)
  const expression = `(() => { ${axe.source}; return axe.run().then((found) => JSON.stringify(found.violations)) })()`
  const { result } = await session.send('Runtime.evaluate', {
    expression,
    awaitPromise: true,
    returnByValue: true,
  })
  await session.detach()
  const found = JSON.parse(String(result.value)) as { id: string; nodes: { html: string }[] }[]
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
}

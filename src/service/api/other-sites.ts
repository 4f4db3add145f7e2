import { Refusal } from '../process/errors.ts'
import type { ApiMiddleware } from './context.ts'

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])
/** What browsers say of a page of others (Fetch Metadata, section 2.3); programs say nothing. */
const OTHERS = new Set(['cross-site', 'same-site'])

/**
 * Refuses changes that a page of another site sends by somebody's browser: a proxy in front that signs people in knows
 * them by a cookie, which the browser sends along, whoever made the page.
 */
export const refuseOtherSites: ApiMiddleware = async (ctx, next) => {
  if (!READS.has(ctx.method) && OTHERS.has(ctx.get('Sec-Fetch-Site')))
    throw new Refusal(
      'FORBIDDEN',
      'a page of another site may not do that: use the console, or the API from a program',
    )
  await next()
}

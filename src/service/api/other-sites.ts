import { Refusal } from '../process/errors.ts'
import type { ApiMiddleware } from './context.ts'

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])
/** The values of Sec-Fetch-Site for pages of other sites (Fetch Metadata, section 2.3); programs send none. */
const OTHERS = new Set(['cross-site', 'same-site'])

/**
 * Refuses changes that a page of another site sends through a person's browser: behind an authenticating proxy the
 * browser sends the person's cookie along, whoever made the page.
 */
export const refuseOtherSites: ApiMiddleware = async (ctx, next) => {
  if (!READS.has(ctx.method) && OTHERS.has(ctx.get('Sec-Fetch-Site')))
    throw new Refusal(
      'FORBIDDEN',
      'a page of another site may not do that: use the console, or the API from a program',
    )
  await next()
}

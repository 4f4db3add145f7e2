import { Agent, request } from 'undici'
import { reviewBody, scaling } from '../../test/support/reviews.ts'
import { startService } from './measured-service.ts'

/** How many reads of the cluster forged reviews of scaling cause: `npm run bench -- forged-scalings`. */
const REVIEWS = 10_000
const AT_ONCE = 32

interface Live {
  readonly metadata: { readonly uid: string; readonly resourceVersion: string }
}

const service = await startService(20)
const { program, cluster, url } = service
const dispatcher = new Agent({ connections: AT_ONCE, connect: { rejectUnauthorized: false } })
const path = '/apis/apps/v1/namespaces/shop/deployments'
const { items } = (await cluster.admin.expect('GET', path)) as unknown as { items: Live[] }

/** The body of a forged review of scaling. */
function forged(namespace: string, name: string, uid: string, resourceVersion: string): string {
  return reviewBody(scaling({ kind: 'deployments', namespace, name, uid, resourceVersion, replicas: 3 }, 5))
}

const AHEAD = '999999999999'
const kinds: Readonly<Record<string, (index: number) => string>> = {
  'without a name': () => forged('shop', '', 'made-up', AHEAD),
  'without name and namespace': () => forged('', '', 'made-up', AHEAD),
  'of what there is not': (index) => forged('shop', `none-${index}`, 'made-up', AHEAD),
  'of what there is, with a uid made up': (index) => forged('shop', `web-${index % 20}`, 'made-up', AHEAD),
  'of what there is, with its uid': (index) =>
    forged('shop', `web-${index % 20}`, items[index % 20]?.metadata.uid ?? '', AHEAD),
}
const table: Record<string, object> = {}
for (const [kind, body] of Object.entries(kinds)) {
  const begun = Date.now()
  await program.loopDelay()
  const rest = Array.from({ length: REVIEWS }, (_, index) => index).values()
  const sender = async () => {
    for (const index of rest) {
      const answer = await request(`${url}/webhook/scale`, { method: 'POST', body: body(index), dispatcher })
      await answer.body.dump()
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sender))
  const seconds = (Date.now() - begun) / 1000
  const asked = (await cluster.requestsSince(begun)).filter(({ url }) => url.startsWith('/apis/apps/'))
  const count = (verb: string) => asked.filter((each) => each.verb === verb).length
  const pause = (await program.loopDelay()).max
  table[kind] = {
    seconds: seconds.toFixed(1),
    reads: count('get'),
    'the bucket allows': Math.floor(100 + 50 * seconds),
    lists: count('list'),
    'longest pause': `${pause.toFixed(0)} ms`,
  }
}
process.stdout.write(`Node ${process.version}, ${REVIEWS} forged reviews of each kind\n`)
console.table(table)
await dispatcher.destroy()
await program.stop()
await service.stop()

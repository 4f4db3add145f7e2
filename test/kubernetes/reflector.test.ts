import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import type { KubernetesObject, ObjectList, WatchEvent } from '../../src/kubernetes/api-object.ts'
import { refusalOf, unanswered } from '../../src/kubernetes/failures.ts'
import { Reflector, type ReflectorOptions } from '../../src/kubernetes/reflector.ts'
import { silentLogger } from './fake-api-server.ts'

type Page = (signal: AbortSignal) => Promise<ObjectList<KubernetesObject>>
type Watch = () => AsyncGenerator<WatchEvent<KubernetesObject>>

const COLLECTION = { resource: 'deployments', path: '/apis/apps/v1/deployments' }

/** A page without objects, or with those of `items`. */
const page =
  (token = '', items = async function* (): AsyncGenerator<KubernetesObject> {}): Page =>
  async () => ({ metadata: { resourceVersion: '100', continue: token }, items: items() })

async function* failing(error: Error): AsyncGenerator<never> {
  yield await new Promise<never>((_, reject) => reject(error))
}
const broken: Watch = () => failing(refusalOf('watch deployments', 500, {}))
const gone: Watch = () => failing(unanswered('watch deployments', new Error('connect ECONNREFUSED')))
const expired: Watch = () => failing(refusalOf('watch deployments', 410, {}))
const left: Watch = () => failing(refusalOf('watch deployments', 404, { message: '404 page not found' }))
const silent: Watch = async function* () {}
const bookmark = { type: 'BOOKMARK', object: { metadata: { resourceVersion: '150' } } }
const said: Watch = async function* () {
  yield bookmark as WatchEvent<KubernetesObject>
}

interface Told {
  readonly pages: Page[]
  readonly watches?: Watch[]
  /** After so many seconds a watch ends in time. */
  readonly watchSeconds?: number
}

interface Warning {
  readonly reason: string
}

/** Reflects these pages and watches in turn, of which each ends as one that the server ended in time; then it is stopped. */
async function reflected({ pages, watches = [], watchSeconds = 1 }: Told) {
  const asked: string[] = []
  const failures: number[] = []
  const stop = new AbortController()
  const client = {
    listPage: async (_: unknown, _limit: number, token: string, signal: AbortSignal) => {
      asked.push(`list ${token}`.trim())
      const next = pages.length > 1 ? pages.shift() : pages[0]
      return next?.(signal)
    },
    watch: async (_: unknown, { signal }: { signal: AbortSignal }) => {
      asked.push('watch')
      const next = watches.shift()
      if (next) return next()
      setImmediate(() => stop.abort())
      await once(signal, 'abort')
      throw signal.reason
    },
  } as unknown as ReflectorOptions<KubernetesObject>['client']
  const sink = { put() {}, delete() {}, retain() {} }
  const delay = async () => {}
  const warnings: string[] = []
  const logger = { ...silentLogger, warn: (about: unknown) => void warnings.push((about as Warning).reason) }
  const options = { client, collection: COLLECTION, sink, logger, delay, watchSeconds }
  await new Reflector(options, { failed: (times) => void failures.push(times) }).run(stop.signal)
  return { asked, failures, warnings }
}

describe('a reflector', () => {
  const tornWhileNextIsRead = async function* (): AsyncGenerator<KubernetesObject> {
    for (let turn = 0; turn < 5; turn++) await nextTurn()
    yield* failing(new SyntaxError('half an object'))
  }

  it('lists again where a page and the next one, asked for ahead, both fail', async () => {
    const refused = async () => {
      throw refusalOf('list deployments', 500, {})
    }
    const { asked } = await reflected({ pages: [page('more', tornWhileNextIsRead), refused, page()] })
    expect(asked).to.deep.equal(['list', 'list more', 'list', 'watch'])
  })

  it('ends the page that was asked for ahead where the one before it fails', async () => {
    let ahead: AbortSignal | undefined
    const endless: Page = (signal) => {
      ahead = signal
      return new Promise(() => {})
    }
    let seen: boolean | undefined
    const again: Page = (signal) => {
      seen = ahead?.aborted
      return page()(signal)
    }
    await reflected({ pages: [page('more', tornWhileNextIsRead), endless, again] })
    expect(seen).to.equal(true)
  })

  it('counts failures in a row: an event of a watch ends the row', async () => {
    const saidAndBroke: Watch = async function* () {
      yield* said()
      yield* broken()
    }
    const { failures } = await reflected({
      pages: [page()],
      watches: [broken, broken, broken, saidAndBroke, broken],
    })
    expect(failures).to.deep.equal([1, 2, 3, 1, 2])
  })

  it('lists again where nothing is served that it watched: only a list finds out where that is now', async () => {
    const { asked } = await reflected({ pages: [page()], watches: [left] })
    expect(asked).to.deep.equal(['list', 'watch', 'list', 'watch'])
  })

  it('warns at the first failure after a watch that the server ended early, and once in a row', async () => {
    const watches = [silent, gone, gone]
    const { warnings } = await reflected({ pages: [page()], watches, watchSeconds: 30 })
    expect(warnings).to.deep.equal(['unreachable'])
  })

  it('suspects a restored cluster only until a watch has said something', async () => {
    const { asked } = await reflected({ pages: [page()], watches: [broken, said, silent] })
    expect(asked.filter((each) => each === 'list')).to.have.length(1)
  })

  it('suspects a restored cluster no more after a list', async () => {
    const { asked } = await reflected({ pages: [page()], watches: [expired, silent] })
    expect(asked.filter((each) => each === 'list')).to.have.length(2)
  })
})

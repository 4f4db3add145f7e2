import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect } from 'chai'
import { connect } from '../../src/client/connect.ts'
import type { WorkloadKey } from '../../src/domain/workload/workload.ts'
import type { Dormouse } from '../../src/client/ports.ts'
import { Refusal, UsageError } from '../../src/process/errors.ts'
import { failureOf } from '../support/failure-of.ts'
import { httpServer } from '../support/http-server.ts'

const WEB: WorkloadKey = { kind: 'deployments', namespace: 'shop', name: 'web' }

describe('the client over HTTP on its bad days', function () {
  this.timeout(180_000)
  let answer: (request: IncomingMessage, response: ServerResponse) => void
  const server = httpServer((request, response) => answer(request, response))
  let url: string

  before(() => (url = server.url))

  function json(response: ServerResponse, status: number, body: object, headers = {}) {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }
  const refuse = (response: ServerResponse, status: number, code: string, message: string, headers = {}) =>
    json(response, status, { error: { code, message, details: {} } }, headers)

  const outside = (environment: Record<string, string> = { DORMOUSE_TOKEN: ' secret\n' }) => {
    const told: string[] = []
    return {
      clock: () => 0,
      environment,
      stderr: { write: (text: string) => told.push(text) },
      told,
      stopSignal: new AbortController().signal,
    }
  }

  async function get(at = url): Promise<unknown> {
    const dormouse = await connect({ server: at }, outside())
    return dormouse.get(WEB).finally(() => void dormouse.close())
  }
  const failure = (at?: string) => failureOf(get(at), Refusal)

  it('sends the token, to the API whether its path was given or not', async () => {
    const seen: string[] = []
    answer = (request, response) => {
      seen.push(`${request.url} ${request.headers.authorization}`)
      json(response, 200, { message: 'ok', data: { name: 'web' } })
    }
    for (const each of [url, `${url}/`, `${url}/api/v1`]) await get(each)
    expect(new Set(seen)).to.deep.equal(new Set(['/api/v1/namespaces/shop/deployments/web Bearer secret']))
  })

  it('reads a plan page by page', async () => {
    const asked: string[] = []
    answer = (request, response) => {
      asked.push(request.url ?? '')
      const isFirst = asked.length === 1
      json(response, 200, { message: 'ok', data: [asked.length], continue: isFirst ? 'a/b' : null })
    }
    const dormouse = await connect({ server: url }, outside())
    expect(await dormouse.plan(WEB, 744)).to.deep.equal([1, 2])
    await dormouse.close()
    const path = '/api/v1/namespaces/shop/deployments/web/plan?hours=744'
    expect(asked).to.deep.equal([path, `${path}&continue=a%2Fb`])
  })

  it('needs a URL and a token, and sends none in the clear unless it is told to', async () => {
    const refused = async (server: string, more: object = {}, environment?: Record<string, string>) =>
      (await failureOf(connect({ server, ...more }, outside(environment)), UsageError)).message
    await refused('dormouse.example')
    await refused(url, {}, {})
    expect(await refused(url, {}, { DORMOUSE_TOKEN: 'a\nb' })).to.include('DORMOUSE_TOKEN')
    await refused(url, { certificateAuthority: 'package.json' })
    for (const server of ['http://dormouse.example', 'HTTP://127.0.0.1.nip.io', 'http://[::2]:8181']) {
      expect(await refused(server))
        .to.include('could read your token')
        .and.include('--insecure')
      const { told, ...plain } = outside()
      await (await connect({ server, insecure: true }, plain)).close()
      expect(told).to.deep.equal([])
    }
    for (const server of ['http://localhost:9', 'http://[::1]:9', 'https://dormouse.example'])
      await (await connect({ server }, outside())).close()
  })

  it('says why the token is refused, what is not Dormouse, and what cannot be reached', async () => {
    answer = (_, response) => refuse(response, 401, 'UNAUTHENTICATED', 'the token has expired')
    expect((await failure()).message).to.include('the token of DORMOUSE_TOKEN: the token has expired')
    answer = (_, response) => response.writeHead(200).end('<html>')
    expect((await failure()).message).to.include('not as Dormouse does: is --server right?')
    answer = (_, response) => response.writeHead(502).end('bad gateway')
    expect((await failure()).message).to.include('answered 502')
    expect((await failure(url.replace('http:', 'https:'))).message)
      .to.include('speaks no TLS')
      .and.not.include('\n')
    expect((await failure('http://127.0.0.1:9')).message).to.include('cannot be reached')
  })

  it('passes on how the API refuses, and waits when it is asked to', async () => {
    let calls = 0
    answer = (_, response) => {
      calls += 1
      if (calls === 1) refuse(response, 429, 'RATE_LIMITED', 'slow', { 'retry-after': '1' })
      else refuse(response, 409, 'PINNED', 'pinned by k8s:ann')
    }
    expect(await failure()).to.include({ code: 'PINNED', message: 'pinned by k8s:ann' })
    expect(calls).to.equal(2)
  })

  it('waits for no pace once it is interrupted, and asks for nothing more', async () => {
    for (const act of [
      (dormouse: Dormouse) => dormouse.get(WEB),
      (dormouse: Dormouse) => dormouse.request(WEB, { action: 'wake' }, false),
    ]) {
      const stop = new AbortController()
      let calls = 0
      answer = (_, response) => {
        calls += 1
        refuse(response, 429, 'RATE_LIMITED', 'slow', { 'retry-after': '3' })
        setTimeout(() => stop.abort(), 200)
      }
      const dormouse = await connect({ server: url }, { ...outside(), stopSignal: stop.signal })
      const failed = await act(dormouse).catch((thrown: unknown) => thrown)
      await dormouse.close()
      expect(failed).to.equal(stop.signal.reason)
      expect(calls).to.equal(1)
    }
  })

  describe('follows a list by its stream', () => {
    const record = (name: string, reason = 'awake') => ({
      namespace: 'shop',
      type: 'deployment',
      name,
      reason,
      operation_history: [],
    })
    const told = (event: string, data: object) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
    const streamed = (response: ServerResponse, ...events: string[]) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(events.join(''))
    }

    /** The first `count` events, with these answers to the requests in turn. */
    async function seen(count: number, answers: ((response: ServerResponse) => void)[]) {
      const asked: string[] = []
      answer = (request, response) => {
        asked.push(String(request.url))
        const next = answers.shift()
        if (next) next(response)
        else response.destroy()
      }
      const { told: warnings, ...plain } = outside()
      const dormouse = await connect({ server: url }, plain)
      const stop = new AbortController()
      const lines: string[] = []
      let failed: unknown
      try {
        for await (const { gone, record: its } of dormouse.watch({ namespace: 'shop' }, stop.signal)) {
          lines.push(`${its.name} ${gone ? 'gone' : its.reason}`)
          if (lines.length === count) stop.abort()
        }
      } catch (error) {
        failed = error
      } finally {
        await dormouse.close()
      }
      return { asked, lines, failed, warnings }
    }

    it('sorted at first, then each change, and asks only once', async () => {
      const { asked, lines } = await seen(4, [
        (response) =>
          streamed(
            response,
            ': the workloads\n\n',
            told('added', record('web')),
            told('added', record('api')),
            told('listed', { workloads: 2 }),
            told('changed', record('web', 'asleep')),
            ': bookmark\n\n',
            told('removed', { namespace: 'shop', type: 'deployment', name: 'api' }),
          ),
      ])
      expect(lines).to.deep.equal(['api awake', 'web awake', 'web asleep', 'api gone'])
      expect(asked).to.deep.equal(['/api/v1/workloads?namespace=shop&watch=true'])
    })

    it('begins anew where the connection broke, with a warning, and tells what went and what is other', async () => {
      const { asked, lines, warnings } = await seen(5, [
        (response) => {
          streamed(response, ...['web', 'api', 'db'].map((name) => told('added', record(name))))
          response.write(told('listed', { workloads: 3 }))
          response.end(told('end', { code: null, message: 'Dormouse stops' }))
        },
        (response) => response.writeHead(503).end(),
        (response) => {
          streamed(response, told('added', record('web', 'asleep')))
          response.destroy()
        },
        (response) =>
          streamed(
            response,
            told('added', record('web', 'asleep')),
            told('added', record('db')),
            told('listed', { workloads: 2 }),
          ),
      ])
      expect(lines).to.deep.equal(['api awake', 'db awake', 'web awake', 'web asleep', 'api gone'])
      expect(new Set(asked)).to.deep.equal(new Set(['/api/v1/workloads?namespace=shop&watch=true']))
      expect(warnings).to.deep.equal([
        'warning: what is shown may be old, until this is over: Dormouse stops\n',
        'warning: Dormouse answers again: what is shown is current\n',
      ])
    })

    it('ends with the reason once the token has expired, or at once where nothing can be had', async () => {
      const expired = await seen(9, [
        (response) =>
          streamed(
            response,
            told('added', record('web')),
            told('listed', { workloads: 1 }),
            told('end', { code: 'UNAUTHENTICATED', message: 'the token has expired' }),
          ),
      ])
      expect(expired.lines).to.deep.equal(['web awake'])
      expect(expired.failed).to.include({ code: 'UNAUTHENTICATED', message: 'the token has expired' })
      expect((await seen(1, [])).failed).to.include({ code: 'CLUSTER_UNAVAILABLE' })
    })

    it('goes on looking at one workload after an outage, and ends where it may look no more', async () => {
      const looks: ((response: ServerResponse) => void)[] = [
        (response) => json(response, 200, { message: 'it', data: record('web') }),
        (response) => response.destroy(),
        (response) => response.destroy(),
        (response) => json(response, 200, { message: 'it', data: record('web', 'asleep') }),
        (response) => refuse(response, 401, 'UNAUTHENTICATED', 'the token has expired'),
      ]
      answer = (_, response) => looks.shift()?.(response)
      const { told: warnings, ...plain } = outside()
      const dormouse = await connect({ server: url }, plain)
      const lines: string[] = []
      const watched = async () => {
        for await (const { record: its } of dormouse.watch(WEB, plain.stopSignal)) lines.push(its.reason)
      }
      const failed = await watched().catch((thrown: unknown) => thrown)
      await dormouse.close()
      expect(lines).to.deep.equal(['awake', 'asleep'])
      expect(failed).to.include({ code: 'UNAUTHENTICATED' })
      expect(warnings).to.have.length(1)
      expect(warnings[0]).to.include('cannot be reached')
    })
  })
})

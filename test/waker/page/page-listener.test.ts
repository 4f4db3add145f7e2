import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { rawRequest } from '../../support/raw-http.ts'
import { anAnswer, aSleeper, WEB } from './sleeper.ts'

const HTML = 'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const CHROME =
  'User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'
const FIREFOX = 'User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'
const SAFARI =
  'User-Agent: Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/15.6 Safari/605.1.15'
const GOOGLEBOT =
  'User-Agent: Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html) Chrome/142.0.0.0 Safari/537.36'
const NAVIGATES = [
  'Sec-Fetch-Site: none',
  'Sec-Fetch-Mode: navigate',
  'Sec-Fetch-User: ?1',
  'Sec-Fetch-Dest: document',
]
const POLLS = ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Mode: cors', 'Sec-Fetch-Dest: empty']
const STATUS = 'Accept: application/vnd.dormouse+json'

type Got = 'the page' | 'a short text' | 'the status' | 'no samples' | 'a refusal'
/** Requests as programs send them, and what each gets and makes Dormouse do. */
const REQUESTS: readonly [
  caller: string,
  lines: readonly string[],
  got: Got,
  asks?: 'look' | 'wake' | undefined,
  method?: string,
][] = [
  ['Chrome', [CHROME, HTML, ...NAVIGATES], 'the page', 'look'],
  ['Firefox', [FIREFOX, HTML, ...NAVIGATES], 'the page', 'look'],
  ['Firefox on plain HTTP, which has no Sec-Fetch', [FIREFOX, HTML], 'the page', 'look'],
  ['Safari without Sec-Fetch', [SAFARI, HTML], 'the page', 'look'],
  [
    'a link on another site',
    [CHROME, HTML, 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate'],
    'the page',
    'look',
  ],
  ['a form', [CHROME, HTML, ...NAVIGATES, 'Content-Length: 5\r\n\r\na=b&c'], 'the page', 'look', 'POST'],
  ['the script', [CHROME, STATUS, ...POLLS], 'the status', 'look'],
  ['the script that wakes', [CHROME, STATUS, ...POLLS, 'Dormouse-Wake: 1'], 'the status', 'wake'],
  ['the script in Safari', [SAFARI, STATUS, 'Dormouse-Wake: 1'], 'the status', 'wake'],
  ['the script with another value', [CHROME, STATUS, ...POLLS, 'Dormouse-Wake: 0'], 'the status', 'look'],
  ['the script by POST', [CHROME, STATUS, ...POLLS, 'Dormouse-Wake: 1'], 'a short text', undefined, 'POST'],
  [
    'a script of another site',
    [CHROME, STATUS, 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: cors', 'Dormouse-Wake: 1'],
    'a refusal',
  ],
  ['a script of a sibling', [CHROME, STATUS, 'Sec-Fetch-Site: same-site', 'Dormouse-Wake: 1'], 'a refusal'],
  [
    'a preflight',
    [
      CHROME,
      'Accept: */*',
      'Origin: https://evil.example',
      'Access-Control-Request-Method: GET',
      'Access-Control-Request-Headers: dormouse-wake',
      'Sec-Fetch-Mode: cors',
    ],
    'a short text',
    undefined,
    'OPTIONS',
  ],
  ['a tab that polls', [CHROME, 'Accept: */*', ...POLLS], 'a short text'],
  ['a tab that polls for HTML', [CHROME, HTML, ...POLLS], 'a short text'],
  [
    'jQuery on plain HTTP',
    [FIREFOX, 'Accept: text/html, */*; q=0.01', 'X-Requested-With: XMLHttpRequest'],
    'a short text',
  ],
  ['htmx on plain HTTP', [FIREFOX, 'Accept: text/html', 'HX-Request: true'], 'a short text'],
  ['an EventSource', [CHROME, 'Accept: text/event-stream', ...POLLS], 'a short text'],
  [
    'an image',
    [CHROME, 'Accept: image/avif,image/webp,*/*;q=0.8', 'Sec-Fetch-Mode: no-cors', 'Sec-Fetch-Dest: image'],
    'a short text',
  ],
  [
    'a websocket',
    [
      CHROME,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
      'Sec-Fetch-Mode: websocket',
    ],
    'a short text',
  ],
  ['a prefetch of Chrome', [CHROME, HTML, ...NAVIGATES, 'Sec-Purpose: prefetch;prerender'], 'a short text'],
  ['a preview of Safari', [SAFARI, HTML, 'X-Purpose: preview'], 'a short text'],
  ['a prefetch of an old Firefox', [FIREFOX, HTML, 'X-Moz: prefetch'], 'a short text'],
  ['HEAD', [CHROME, HTML, ...NAVIGATES], 'a short text', undefined, 'HEAD'],
  ['curl', ['User-Agent: curl/8.14.1', 'Accept: */*'], 'a short text'],
  ['wget', ['User-Agent: Wget/1.25.0', 'Accept: */*', 'Accept-Encoding: identity'], 'a short text'],
  ['nobody', [], 'a short text'],
  ['a probe of the kubelet', ['User-Agent: kube-probe/1.34', 'Accept: text/html'], 'a short text'],
  ['ELB, which would lead nobody to it any more', ['User-Agent: ELB-HealthChecker/2.0', HTML], 'no samples'],
  ['GoogleHC', ['User-Agent: GoogleHC/1.0', HTML], 'no samples'],
  ['Azure Front Door', ['User-Agent: Edge Health Probe'], 'no samples', undefined, 'HEAD'],
  ['Googlebot', [GOOGLEBOT, HTML], 'a short text'],
  ['Googlebot that runs scripts', [GOOGLEBOT, STATUS, 'Dormouse-Wake: 1'], 'a short text'],
  ['an agent of waker.ignoreAgents', ['User-Agent: Mozilla/5.0 (House-Monitor 3)', HTML], 'a short text'],
  [
    'a telephone by Cubot',
    ['User-Agent: Mozilla/5.0 (Linux; Android 13; CUBOT NOTE 40) Chrome/142.0.0.0', HTML],
    'the page',
    'look',
  ],
  [
    'Prometheus',
    [
      'User-Agent: Prometheus/3.8.0',
      'Accept: application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1',
    ],
    'no samples',
  ],
  [
    'another scraper of OpenMetrics',
    ['User-Agent: Go-http-client/1.1', 'Accept: application/openmetrics-text; version=1.0.0'],
    'no samples',
  ],
]

describe('the page of a sleeper', () => {
  const sleeper = aSleeper({ ignoreAgents: ['house-monitor'] })

  for (const [caller, lines, got, asks, method = 'GET'] of REQUESTS)
    it(`gives ${caller} ${got}, and ${asks ? `asks Dormouse to ${asks}` : 'does not ask Dormouse'}`, async () => {
      const { status, headers, body } = await rawRequest(sleeper.url(), `${method} /a/b?c`, lines)
      const type = headers['content-type']
      expect(sleeper.asked).to.deep.equal(asks ? [asks] : [])
      expect(headers['cache-control']).to.equal('no-store')
      expect(headers['connection']).to.equal('close')
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).to.deep.equal([])
      if (got === 'no samples') {
        expect([status, type, body]).to.deep.equal([200, 'text/plain; version=0.0.4; charset=utf-8', ''])
        return
      }
      expect(status).to.equal(got === 'a refusal' ? 403 : 503)
      expect(Number(headers['retry-after'])).to.be.within(1, 3600)
      if (got === 'the page') {
        expect(type).to.equal('text/html; charset=utf-8')
        expect(headers['content-security-policy']).to.match(/^default-src 'none'; script-src 'sha256-/)
        expect(headers['vary']).to.include('Accept-Language')
        expect(body).to.include('<bdi>web</bdi> is asleep')
      } else if (got === 'the status') {
        expect(type).to.equal('application/vnd.dormouse+json')
        expect(JSON.parse(body)).to.include({
          state: 'asleep',
          service: 'web',
          until: '2026-11-30T07:00:00Z',
        })
      } else {
        expect(type).to.equal('text/plain; charset=utf-8')
        expect(body.length).to.be.below(200)
        if (method === 'HEAD') expect(body).to.equal('')
        else if (status === 503) expect(body).to.match(/: kubectl dormouse list -n shop\n$/)
      }
    })

  it('says of a posted form that it is not sent again, and of no other', async () => {
    const form = await rawRequest(sleeper.url(), 'POST /order', [HTML, ...NAVIGATES, 'Content-Length: 0'])
    const link = await rawRequest(sleeper.url(), 'GET /order', [HTML, ...NAVIGATES])
    expect(form.body).to.include('will not be sent again').and.to.include('"posted":true')
    expect(link.body).not.to.include('will not be sent again')
  })

  it('lets a form arrive after its answer, so that the connection is not reset', async () => {
    const { hostname, port } = new URL(sleeper.url())
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    const errors: Error[] = []
    let answer = ''
    socket.on('error', (error) => errors.push(error))
    socket.setEncoding('utf8').on('data', (text: string) => (answer += text))
    socket.write(['POST /order HTTP/1.1', 'Host: web', HTML, 'Content-Length: 200000', '', ''].join('\r\n'))
    for (let sent = 0; sent < 200_000; sent += 20_000) {
      socket.write('x'.repeat(20_000))
      await pause(20)
    }
    socket.end()
    if (!socket.closed) await once(socket, 'close')
    expect(errors).to.deep.equal([])
    expect(answer).to.match(/^HTTP\/1\.1 503 [^]*will not be sent again[^]*<\/script>\s*$/)
  })

  it('says when Dormouse cannot be asked, whether it is silent or fails', async () => {
    for (const answer of [undefined, new Error('no route')]) {
      sleeper.answer = answer
      const { status, body } = await rawRequest(sleeper.url(), 'GET /', [HTML])
      expect(status).to.equal(503)
      expect(body).to.include('Dormouse, which can wake it, cannot be asked now')
    }
  })

  it('keeps workloads, reasons and commands to itself', async () => {
    sleeper.answer = anAnswer({ state: 'held' })
    const page = await rawRequest(sleeper.url(), 'GET /', [HTML])
    const json = await rawRequest(sleeper.url(), 'GET /', [STATUS])
    for (const { body } of [page, json])
      expect(body).not.to.match(/deployments|its schedule|kubectl dormouse/)
  })

  it('comes again at the end of a hold, at most in an hour', async () => {
    sleeper.answer = anAnswer({ state: 'held', until: '2026-11-30T03:10:00Z' })
    expect((await rawRequest(sleeper.url(), 'GET /', [HTML])).headers['retry-after']).to.equal('600')
    sleeper.answer = anAnswer({ state: 'held', until: '2026-11-30T09:00:00Z' })
    expect((await rawRequest(sleeper.url(), 'GET /', [HTML])).headers['retry-after']).to.equal('3600')
    sleeper.answer = anAnswer({ state: 'waking' })
    expect((await rawRequest(sleeper.url(), 'GET /', [HTML])).headers['retry-after']).to.equal('38')
  })
})

describe('the page with details', () => {
  const sleeper = aSleeper({ details: true })

  it('names the command, the workloads and the reasons', async () => {
    sleeper.answer = anAnswer({ state: 'held' })
    const { body } = await rawRequest(sleeper.url(), 'GET /', [HTML])
    expect(body).to.include('<code>kubectl dormouse wake deployments/web -n shop</code>')
    expect(body).to.include('<code>deployments/web</code> asleep since 20:00 by its schedule')
  })

  it('takes all that comes from outside for text', async () => {
    const evil = '</script><script>alert(1)</script>"\'&\r\nSet-Cookie: a=b\u202e'
    sleeper.port = { ...WEB, namespace: evil, service: evil }
    sleeper.answer = anAnswer({
      until: `2026"><img src=x>`,
      workloads: [{ kind: evil, name: evil, state: 'asleep', reason: evil }],
    })
    for (const accept of [HTML, STATUS, 'Accept: */*']) {
      const { headers, body } = await rawRequest(sleeper.url(), 'GET /', [
        accept,
        'Accept-Language: </script>',
      ])
      expect(headers).not.to.have.property('set-cookie')
      if (accept !== HTML) continue
      expect(body.match(/<script/g)).to.have.length(2)
      expect(body).not.to.match(/alert\(1\)<|<img/)
    }
  })

  it('stays small with as much as a Service can have', async () => {
    const reason = '<'.repeat(2000)
    const workloads = Array.from({ length: 64 }, (_, index) => ({
      kind: 'deployments',
      name: `web-${index}`,
      state: 'asleep' as const,
      reason,
    }))
    sleeper.answer = anAnswer({ workloads })
    const { body } = await rawRequest(sleeper.url(), 'GET /', [HTML])
    expect(body).to.include('+ 56')
    expect(body.length).to.be.below(32_768)
  })
})

describe('the page with a button', () => {
  const sleeper = aSleeper({}, { ...WEB, mode: 'button' })

  it('asks for the press in the page and in its status', async () => {
    expect((await rawRequest(sleeper.url(), 'GET /', [HTML])).body).to.include('Press the button to wake it.')
    const { body } = await rawRequest(sleeper.url(), 'GET /', [STATUS])
    expect(JSON.parse(body)).to.include({ wakes: 'pressed' })
  })
})

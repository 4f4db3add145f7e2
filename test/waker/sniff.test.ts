import { expect } from 'chai'
import { headOf, protocolOf, userAgentOf } from '../../src/waker/sniff.ts'

const of = (text: string) => protocolOf(Buffer.from(text, 'latin1'))

describe('the protocol of first bytes', () => {
  const KNOWN: readonly [name: string, bytes: string, protocol: string | undefined][] = [
    ['a request', 'GET / HTTP/1.1\r\nHost: web\r\n\r\n', 'http1'],
    ['a request of HTTP/1.0 with bare line ends', 'M-SEARCH * HTTP/1.0\n\n', 'http1'],
    ['the beginning of a request line', 'GET /a', undefined],
    ['one letter', 'G', undefined],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0', 'h2'],
    ['a part of the preface', 'PRI * HTTP/2.0\r\n\r\n', undefined],
    ['a TLS ClientHello', '\x16\x03\x01\x02', 'tls'],
    ['one byte of it', '\x16', undefined],
    ['a byte as of TLS, but another', '\x16\x04', 'raw'],
    ['Postgres: SSLRequest', '\0\0\0\x08\x04\xd2\x16\x2f', 'raw'],
    ['Redis: inline', 'PING\r\n', 'raw'],
    ['Redis: inline with arguments', 'SET a b\r\n', 'raw'],
    ['Redis', '*1\r\n$4\r\nPING\r\n', 'raw'],
    ['AMQP', 'AMQP\0\0\x09\x01', 'raw'],
    ['memcached', 'get a\r\n', 'raw'],
    ['a line that HTTP/1 is not in', 'GET / HTTP/3\r\n', 'raw'],
    ['nothing', '', undefined],
  ]
  for (const [name, bytes, protocol] of KNOWN)
    it(`is ${protocol ?? 'open'}: ${name}`, () => expect(of(bytes)).to.equal(protocol))

  it('decides the same however the bytes arrive', () => {
    for (const [name, bytes, protocol] of KNOWN)
      for (let end = 1; end < bytes.length; end++)
        expect([undefined, protocol], `${name}, ${end} bytes`).to.include(of(bytes.slice(0, end)))
  })

  it('finds the User-Agent of a whole head alone', () => {
    const head = 'GET / HTTP/1.1\r\nuser-agent:  kube-probe/1.34 \r\nX: User-Agent: a'
    expect(headOf(Buffer.from(`${head}\r\n\r\nbody`))).to.equal(head)
    expect(headOf(Buffer.from(head))).to.equal(undefined)
    expect(userAgentOf(head)).to.equal('kube-probe/1.34')
    expect(userAgentOf('GET / HTTP/1.1\r\nHost: a')).to.equal(undefined)
  })
})

import type { IncomingMessage } from 'node:http'
import { expect } from 'chai'
import fc from 'fast-check'
import { clientAddress, networkOf } from '../../src/http/client-address.ts'

const requestOf = (remoteAddress: string | undefined, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage

describe("a client's address", () => {
  const direct = clientAddress([])
  const behind = clientAddress(['10.0.0.0/8', '2001:db8::/32', '192.0.2.7'])

  for (const [what, remote, forwarded, address, of = behind] of [
    ['the connection, without proxies', '198.51.100.1', '203.0.113.1', '198.51.100.1', direct],
    ['nothing, where the connection is gone', undefined, '203.0.113.1', '', direct],
    ['the connection where that is no proxy', '198.51.100.1', '203.0.113.1', '198.51.100.1'],
    ['whom the proxy names', '10.1.2.3', '203.0.113.1', '203.0.113.1'],
    ['whom a proxy over IPv6 names', '2001:DB8::5', '203.0.113.1', '203.0.113.1'],
    ['whom a proxy names by IPv4 in IPv6', '::ffff:10.1.2.3', '203.0.113.1', '203.0.113.1'],
    [
      'the right-most that is no proxy',
      '10.1.2.3',
      '6.6.6.6, 203.0.113.1, 192.0.2.7,10.9.9.9',
      '203.0.113.1',
    ],
    ['the proxy, where it names nobody', '10.1.2.3', undefined, '10.1.2.3'],
    ['the last proxy, where there are proxies only', '10.1.2.3', '10.0.0.2, 10.0.0.1', '10.0.0.2'],
    ['the last proxy before nonsense', '10.1.2.3', '203.0.113.1, unknown, 10.0.0.1', '10.0.0.1'],
    ['an address without its port', '10.1.2.3', '203.0.113.1:4711', '203.0.113.1'],
    ['an IPv6 address without its port', '10.1.2.3', '[2001:DB9::1]:4711', '2001:db9::1'],
    ['an IPv4 address, however it is written', '10.1.2.3', '::FFFF:cb00:7101', '203.0.113.1'],
  ] as const)
    it(`is ${what}`, () => expect(of(requestOf(remote, forwarded))).to.equal(address))

  it('is never an address that the client itself put in front', () => {
    fc.assert(
      fc.property(fc.string(), (forged) => {
        expect(behind(requestOf('10.1.2.3', `${forged}, 203.0.113.1`))).to.equal('203.0.113.1')
      }),
    )
  })

  it('counts as its /64 over IPv6, in whatever form it is written', () => {
    for (const address of [
      '2001:db8:0:1::1',
      '2001:db8:0:1:2:3:4:5',
      '2001:db8::1:0:0:0:9',
      '2001:db8:0:1::1.2.3.4',
    ])
      expect(networkOf(address)).to.equal('2001:db8:0:1')
    expect(networkOf('2001:db8:0:2::1')).to.equal('2001:db8:0:2')
    expect(networkOf('203.0.113.1')).to.equal('203.0.113.1')
  })
})

import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv6, SocketAddress } from 'node:net'

/** The client's address; '': the connection is closed. */
export type AddressOf = (request: IncomingMessage) => string

/**
 * The address of the connection; behind trusted proxies, the right-most address in X-Forwarded-For that is not one of
 * theirs, because a client can forge everything to the left of it. `trusted`: addresses and networks (CIDR).
 */
export function clientAddress(trusted: readonly string[]): AddressOf {
  const proxies = new BlockList()
  for (const network of trusted) {
    const [address = '', prefix] = network.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    proxies.addSubnet(address, Number(prefix ?? (family === 'ipv6' ? 128 : 32)), family)
  }
  const isProxy = (address: string) => proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')

  return ({ socket, headers }) => {
    let address = canonical(socket.remoteAddress ?? '') ?? ''
    const hops = String(headers['x-forwarded-for'] ?? '').split(',')
    while (address !== '' && isProxy(address)) {
      const next = canonical(withoutPort(hops.pop()?.trim() ?? ''))
      if (next === undefined) return address
      address = next
    }
    return address
  }
}

/** The network that limits count as one client: an IPv6 host usually has a whole /64 to itself. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const left = head.split(':').filter(Boolean)
  const right = tail.split(':').filter(Boolean)
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0')
  return [...left, ...zeros, ...right].slice(0, 4).join(':')
}

/** The one spelling of an address, IPv4 also for ::ffff:192.0.2.1; undefined: the text is not an address. */
function canonical(text: string): string | undefined {
  if (isIP(text) === 0) return undefined
  const { address } = new SocketAddress({ address: text, family: isIPv6(text) ? 'ipv6' : 'ipv4' })
  const [, mapped] = /^::ffff:([\d.]+)$/.exec(address) ?? []
  return mapped ?? address
}

/** Some proxies write `192.0.2.1:4711` or `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  const [, v6, v4] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(hop) ?? []
  return v6 ?? v4 ?? hop
}

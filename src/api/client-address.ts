import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv6, SocketAddress } from 'node:net'

/** Whose request it is; '' where the connection is gone. */
export type AddressOf = (request: IncomingMessage) => string

/**
 * The address of the connection; behind proxies that are trusted, the right-most of X-Forwarded-For that is none
 * of theirs: what stands left of it, anybody may have written. `trusted`: addresses and networks (CIDR).
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

/** The network that one host has to itself: an IPv6 host usually has a whole /64. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const left = head.split(':').filter(Boolean)
  const right = tail.split(':').filter(Boolean)
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0')
  return [...left, ...zeros, ...right].slice(0, 4).join(':')
}

/** One spelling for each address; undefined: it is none. An IPv4 address in IPv6's form is the IPv4 address. */
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

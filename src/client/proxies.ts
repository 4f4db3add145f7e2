/** The variables of the environment by which a call goes through a proxy. */
export interface Proxies {
  readonly HTTP_PROXY?: string
  readonly HTTPS_PROXY?: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** The proxies for a server, by the variables that kubectl reads, and as it reads them; undefined: none, as on loopback. */
export function proxiesFor(server: URL, environment: Environment): Proxies | undefined {
  const named = (name: string) => environment[name] || environment[name.toLowerCase()] || undefined
  if (isLoopback(server.hostname) || isExempt(server, named('NO_PROXY') ?? '')) return undefined
  const [http, https] = [named('HTTP_PROXY'), named('HTTPS_PROXY')]
  if (http === undefined && https === undefined) return undefined
  return {
    ...(http !== undefined && { HTTP_PROXY: withScheme(http) }),
    ...(https !== undefined && { HTTPS_PROXY: withScheme(https) }),
  }
}

export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname)
}

/** Node goes directly where a proxy has none. */
function withScheme(proxy: string): string {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`
}

/**
 * Whether NO_PROXY names the server: `*`, a domain with all below it (`.a.b`: only what is below), an address or a network.
 * Domains and addresses may have a port.
 */
function isExempt({ hostname, port, protocol }: URL, list: string): boolean {
  const host = hostname.toLowerCase().replaceAll(/[[\]]/g, '')
  const itsPort = port || (protocol === 'https:' ? '443' : '80')
  return list.split(',').some((text) => {
    const entry = text.trim().toLowerCase()
    if (entry === '*' || isWithin(host, entry)) return true
    const [, name = entry, only = itsPort] = /^(.+):(\d+)$/.exec(entry) ?? []
    return only === itsPort && (isWithin(host, name.replaceAll(/[[\]]/g, '')) || isBelow(host, name))
  })
}

function isBelow(host: string, name: string): boolean {
  const domain = name.replace(/^\*\./, '.')
  if (domain.replaceAll('.', '') === '') return false
  return domain.startsWith('.') ? host.endsWith(domain) : `.${host}`.endsWith(`.${domain}`)
}

/** `network`: an address, perhaps with the length of a prefix. */
function isWithin(host: string, network: string): boolean {
  const { BlockList, isIP, isIPv6 } = process.getBuiltinModule('node:net')
  const [address = '', length] = network.split('/')
  const type = isIPv6(address) ? 'ipv6' : 'ipv4'
  const longest = type === 'ipv6' ? 128 : 32
  const bits = Number(length ?? longest)
  if (isIP(address) === 0 || isIP(host) !== isIP(address) || !(bits >= 0 && bits <= longest)) return false
  const within = new BlockList()
  within.addSubnet(address, bits, type)
  return within.check(host, type)
}

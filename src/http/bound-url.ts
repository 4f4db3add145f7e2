import type { AddressInfo } from 'node:net'

/** The URL of the address that a server listens on, which may be all of them: `https://0.0.0.0:8443`. */
export function boundUrl(scheme: 'http' | 'https', { address, family, port }: AddressInfo): string {
  return `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/** A server that listens on every address is reached over loopback from here. */
export function overLoopback(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//127.0.0.1:')
}

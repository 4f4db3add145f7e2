/** The variables of the environment by which a call goes through a proxy. */
export interface Proxies {
  readonly HTTP_PROXY?: string
  readonly HTTPS_PROXY?: string
  readonly NO_PROXY?: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** The proxies for a server, by the variables that kubectl reads; undefined: none, as on loopback. */
export function proxiesFor({ hostname }: URL, environment: Environment): Proxies | undefined {
  if (isLoopback(hostname)) return undefined
  const named = (name: string) => environment[name] || environment[name.toLowerCase()] || undefined
  const [http, https, none] = [named('HTTP_PROXY'), named('HTTPS_PROXY'), named('NO_PROXY')]
  if (http === undefined && https === undefined) return undefined
  return {
    ...(http !== undefined && { HTTP_PROXY: http }),
    ...(https !== undefined && { HTTPS_PROXY: https }),
    ...(none !== undefined && { NO_PROXY: none }),
  }
}

export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname)
}

import { isIP } from 'node:net'

/** What a serving certificate is for: DNS names and IP addresses. */
export type Names = readonly string[]

interface Place {
  /** undefined: it is reached by no Service. */
  readonly service: { readonly name: string; readonly namespace: string } | undefined
  /** Where the API server calls outside a cluster; null: it does not. */
  readonly url: string | null
}

/** The names that the API server calls the webhook by, the one of `<service>.<namespace>.svc` first. */
export function servingNames({ service, url }: Place): Names {
  const names: string[] = []
  if (service) {
    const base = `${service.name}.${service.namespace}`
    names.push(`${base}.svc`, `${base}.svc.cluster.local`, base)
  }
  // An IPv6 address stands in brackets in a URL.
  if (url !== null) names.push(new URL(url).hostname.replace(/^\[|\]$/g, ''))
  return [...new Set(names)]
}

export function subjectAltName(name: string): { type: 'ip' | 'dns'; value: string } {
  return { type: isIP(name) ? 'ip' : 'dns', value: name }
}

/** Parts of the `User-Agent` of probes, load balancers' checks, scrapers, monitors and link previews, in lower case. */
const AUTOMATIC = `
  kube-probe/, elb-healthchecker/, amazon-route53-health-check, cloudwatchsynthetics, googlehc/,
  googlestackdrivermonitoring, load balancer agent, edge health probe, azure traffic manager endpoint,
  cloudflare-healthchecks, consul health check, envoy/hc, prometheus/, blackbox exporter/, telegraf/, vm_promscrape,
  grafanaagent/, alloy/, otelcol, datadog, newrelicpinger, zabbix, check_http/, uptimerobot/, uptime-kuma/, pingdom,
  statuscake, site24x7, gatus/, checkly, cert-manager, facebookexternalhit, whatsapp/, skypeuripreview
`
  .trim()
  .split(/,\s+/)

/** `Cubot` makes telephones. */
const BOT = /(?<!cu)bot\b|crawler|spider|slurp/

export function isPrometheus(userAgent: string | undefined): boolean {
  return userAgent?.startsWith('Prometheus/') === true
}

/** Whether no person waits for the answer, by its `User-Agent`; `more`: parts of it that say so, too, in any case. */
export function isAutomatic(userAgent: string | undefined, more: readonly string[]): boolean {
  const agent = userAgent?.toLowerCase()
  if (agent === undefined) return false
  const parts = [...AUTOMATIC, ...more.map((part) => part.toLowerCase())]
  return BOT.test(agent) || parts.some((part) => agent.includes(part))
}

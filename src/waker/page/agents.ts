/** Parts of the `User-Agent` of balancers' checks, in lower case. */
const BALANCERS = list(`
  elb-healthchecker/, amazon-route53-health-check, googlehc/, load balancer agent, edge health probe,
  azure traffic manager endpoint, cloudflare-healthchecks, consul health check, envoy/hc
`)
/** The same of other probes, scrapers, monitors and link previews. */
const AUTOMATIC = list(`
  kube-probe/, cloudwatchsynthetics, googlestackdrivermonitoring, prometheus/, blackbox exporter/, telegraf/,
  vm_promscrape, grafanaagent/, alloy/, otelcol, datadog, newrelicpinger, zabbix, check_http/, uptimerobot/, uptime-kuma/,
  pingdom, statuscake, site24x7, gatus/, checkly, cert-manager, facebookexternalhit, whatsapp/, skypeuripreview
`)

function list(text: string): readonly string[] {
  return text.trim().split(/,\s+/)
}

/** `Cubot` makes telephones. */
const BOT = /(?<!cu)bot\b|crawler|spider|slurp/

/** Prometheus, which would raise an alert, or a balancer, which would lead nobody here any more: an empty 200 contents them. */
export function isWatcher(userAgent: string | undefined): boolean {
  const agent = userAgent?.toLowerCase()
  return (
    agent !== undefined && (agent.startsWith('prometheus/') || BALANCERS.some((part) => agent.includes(part)))
  )
}

/** Whether no person waits for the answer, by its `User-Agent`; `more`: parts of it that say so, too, in any case. */
export function isAutomatic(userAgent: string | undefined, more: readonly string[]): boolean {
  const agent = userAgent?.toLowerCase()
  if (agent === undefined) return false
  const parts = [...BALANCERS, ...AUTOMATIC, ...more.map((part) => part.toLowerCase())]
  return BOT.test(agent) || parts.some((part) => agent.includes(part))
}

/** Parts of the `User-Agent` of probes, load balancers' checks, scrapers, monitors and link previews, in lower case. */
const AUTOMATIC = [
  'kube-probe/',
  'elb-healthchecker/',
  'googlehc/',
  'google-hc/',
  'envoy/hc',
  'load balancer agent',
  'edge health probe',
  'azure traffic manager endpoint monitor',
  'amazon-route53-health-check-service',
  'cloudflare-healthchecks',
  'consul health check',
  'prometheus/',
  'blackbox exporter/',
  'vm_promscrape',
  'grafanaagent/',
  'alloy/',
  'otelcol',
  'telegraf/',
  'datadog',
  'newrelicpinger',
  'zabbix',
  'check_http/',
  'googlestackdrivermonitoring-uptimechecks',
  'cloudwatchsynthetics',
  'uptimerobot/',
  'uptime-kuma/',
  'pingdom',
  'statuscake',
  'site24x7',
  'gatus/',
  'checkly',
  'cert-manager',
  'facebookexternalhit',
  'whatsapp/',
  'skypeuripreview',
] as const

/** `Cubot` makes telephones. */
const BOT = /(?<!cu)bot\b|crawler|spider|slurp/

/** Whether no person waits for the answer, by its `User-Agent`; `more`: parts of it that say so, too, in any case. */
export function isAutomatic(userAgent: string | undefined, more: readonly string[]): boolean {
  if (userAgent === undefined) return false
  const agent = userAgent.toLowerCase()
  return (
    AUTOMATIC.some((part) => agent.includes(part)) ||
    BOT.test(agent) ||
    more.some((part) => agent.includes(part.toLowerCase()))
  )
}

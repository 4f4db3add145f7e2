import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DateTime } from 'luxon'
import type { Instant } from '../process/clock.ts'

interface Access {
  readonly api: string
  readonly metrics: string
  /** absent: there is no console. */
  readonly console?: string
  /** The address of a Service that sleeps; absent: nothing wakes on traffic. */
  readonly preview?: string
  readonly kubeconfig: string
  readonly plugins: string
  readonly token: string
}

interface Sandbox {
  /** The kubeconfig's context; each command names it, so that none reaches another cluster. */
  readonly context: string
  /** When `staging/storefront` is asleep. */
  readonly nap: { readonly from: Instant; readonly until: Instant }
  readonly readyAt: Instant
  /** Milliseconds. */
  readonly startedIn: number
  /** The reader's time zone. */
  readonly timezone: string
  /** Whether this program is in a checkout, and not in a package or an image. */
  readonly hasDocs: boolean
}

const FIRST_PAGE = 'docs/quick-start.md'
const REPOSITORY = 'https://github.com/dormouse-dev/dormouse/blob/main'

/** Whether the docs lie beside a program, the path of its main file. */
export function hasDocs(file: string): boolean {
  return existsSync(join(dirname(dirname(file)), FIRST_PAGE))
}

/** The sandbox's text once it is ready: the client first, then the console and what programs need. */
export function pasteable(
  { api, metrics, kubeconfig, plugins, token, console: link, preview }: Access,
  sandbox: Sandbox,
): string {
  const { context, timezone } = sandbox
  const client = (words: string) => `  kubectl dormouse ${words} --context ${context}`
  return `Dormouse is ready after ${(sandbox.startedIn / 1000).toFixed(1)} s, over a cluster in memory. No real cluster is touched; Ctrl-C ends it all.
${preview === undefined ? '' : visit(preview)}
Paste this into another terminal:

  export KUBECONFIG="${kubeconfig}"
  export PATH="${plugins}:$PATH"
${client('why storefront -n staging')}

${nap(sandbox)} Watch it; Ctrl-C ends the watch:

${client('list -n staging')} -w

Wake it for as long as you need it, and give another one hours; outside of them this puts it to sleep now:

${client('wake storefront -n staging --for 4h')}
${client(`enable deploy/storefront -n shop --schedule 8:00-18:00,Mon-Fri --timezone ${timezone}`)}
${client('plan storefront -n shop')}
${link === undefined ? '' : `\nThe same in the browser; this link signs you in, once:\n\n  ${link}\n`}
For programs${sandbox.hasDocs ? ' (docs/api.md)' : ''}, and for Prometheus:

  export API=${api}/api/v1
  export TOKEN=${token}
  dm() { curl -sS -H "Authorization: Bearer $TOKEN" "$@"; echo; }
  dm $API/namespaces/staging/deployments/storefront
  curl -sS ${metrics}/metrics

Read on ${sandbox.hasDocs ? `in ${FIRST_PAGE}` : `at ${REPOSITORY}/${FIRST_PAGE}`}
`
}

function visit(preview: string): string {
  return `
Open this in a browser. The Service preview in the namespace staging is asleep; your visit wakes it, and then you see the app:

  ${preview}
`
}

function nap({ nap: { from, until }, readyAt, timezone }: Sandbox): string {
  const clock = (at: Instant) => DateTime.fromMillis(at, { zone: timezone }).toFormat('H:mm')
  const seconds = Math.max(0, Math.floor((from - readyAt) / 1000))
  return `In the namespace staging, storefront falls asleep by its own schedule at ${clock(from)} (in ${seconds} s) and wakes at ${clock(until)}.`
}

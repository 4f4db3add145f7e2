import { DateTime } from 'luxon'
import type { Instant } from '../process/clock.ts'

interface Access {
  readonly api: string
  readonly metrics: string
  /** absent: there is no console. */
  readonly console?: string
  readonly kubeconfig: string
  readonly plugins: string
  readonly token: string
}

interface Sandbox {
  /** The kubeconfig's context; each command names it, so that none reaches another cluster. */
  readonly context: string
  /** When `staging/storefront` is asleep; durations in milliseconds. */
  readonly naps: {
    readonly first: Instant
    readonly asleepFor: number
    readonly every: number
    readonly times: number
  }
  readonly readyAt: Instant
  /** Milliseconds. */
  readonly startedIn: number
  /** The reader's time zone. */
  readonly timezone: string
}

/** The sandbox's text once it is ready: addresses, and commands to paste. */
export function pasteable(
  { api, metrics, kubeconfig, plugins, token, console: link }: Access,
  sandbox: Sandbox,
): string {
  const kubectl = `kubectl --context ${sandbox.context}`
  const hours = `{"schedule": "8:00-18:00,Mon-Fri", "timezone": "${sandbox.timezone}"}`
  return `Dormouse is ready after ${(sandbox.startedIn / 1000).toFixed(1)} s, over a cluster in memory. No real cluster is touched; Ctrl-C ends it all.

  ${link === undefined ? '' : `Console      ${link}\n               (this link signs you in, once)\n\n  `}API          ${api}/api/v1
  Metrics      ${metrics}/metrics
  Kubeconfig   ${kubeconfig}

Paste this into another terminal first:

  export KUBECONFIG=${kubeconfig}
  export PATH="${plugins}:$PATH"
  export API=${api}/api/v1
  export SHOP=$API/namespaces/shop/deployments
  export TOKEN=${token}
  dm() { curl -sS -H "Authorization: Bearer $TOKEN" "$@"; echo; }

${watchable(sandbox)}
Watch it; Ctrl-C ends the watch:

  ${kubectl} get deployments -n staging -L dormouse.dev/asleep -w

List the workloads; for those asleep the last column is the replica count that they wake to:

  ${kubectl} get deployments,statefulsets,daemonsets -A -L dormouse.dev/asleep

Ask why one sleeps, what comes next and what to type (docs/client.md):

  kubectl dormouse why storefront -n staging --context ${sandbox.context}

Put the storefront of the shop to sleep, see it, and wake it:

  dm -X POST $SHOP/storefront/enable
  dm -X POST "$SHOP/storefront/snooze?wait=30s"
  ${kubectl} get deployment storefront -n shop -L dormouse.dev/asleep
  dm -X POST "$SHOP/storefront/wake?wait=30s"

Give it a schedule of awake hours (outside of them this puts it to sleep now, and the answer says so), and see the next edges:

  dm -X PUT -H 'Content-Type: application/json' -d '${hours}' $SHOP/storefront/schedule
  dm "$SHOP/storefront/plan?hours=72"

Keep it awake for the next four hours, whatever the schedule says:

  dm -X POST "$SHOP/storefront/wake?for=4h"

Pin it in its present state, whatever the schedule says, and remove the pin:

  dm -X POST $SHOP/storefront/pin
  dm -X DELETE $SHOP/storefront/pin

Read on in docs/quick-start.md
`
}

function watchable({ naps, readyAt, timezone }: Sandbox): string {
  const clock = (at: Instant) => DateTime.fromMillis(at, { zone: timezone }).toFormat('HH:mm:ss')
  const { first, asleepFor, every, times } = naps
  const seconds = Math.max(0, Math.floor((first - readyAt) / 1000))
  return (
    `In the namespace staging, storefront falls asleep by its own schedule at ${clock(first)} (in ${seconds} s) ` +
    `and wakes at ${clock(first + asleepFor)}; again every ${every / 60_000} minutes, ${times} times in all.`
  )
}

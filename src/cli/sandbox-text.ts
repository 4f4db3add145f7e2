interface Found {
  readonly api: string
  readonly metrics: string
  readonly kubeconfig: string
  readonly token: string
}

/** What the sandbox prints once ready: where everything is, and commands that work when pasted. */
export function pasteable({ api, metrics, kubeconfig, token }: Found, seconds: number): string {
  return `Dormouse is ready after ${seconds.toFixed(1)} s, over a cluster in memory. No real cluster is touched; Ctrl-C ends it all.

  API          ${api}/api/v1
  Metrics      ${metrics}/metrics
  Kubeconfig   ${kubeconfig}

Paste this into another terminal first:

  export KUBECONFIG=${kubeconfig}
  export API=${api}/api/v1
  export SHOP=$API/namespaces/shop/deployments
  export TOKEN=${token}
  dormouse() { curl -sS -H "Authorization: Bearer $TOKEN" "$@"; echo; }

Who is there, and who sleeps (the last column is the count a sleeper wakes to):

  kubectl get deployments,statefulsets,daemonsets -A -L dormouse.dev/asleep

Put the storefront to sleep, see it, and wake it:

  dormouse -X POST $SHOP/storefront/enable
  dormouse -X POST "$SHOP/storefront/snooze?wait=30s"
  kubectl get deployment storefront -n shop -L dormouse.dev/asleep
  dormouse -X POST "$SHOP/storefront/wake?wait=30s"

Give it hours, and see what comes:

  dormouse -X PUT -H 'Content-Type: application/json' -d '{"schedule": "8:00-18:00,Mon-Fri"}' $SHOP/storefront/schedule
  dormouse "$SHOP/storefront/plan?hours=48"

Hold it as it is, whatever the hours say, and let go again:

  dormouse -X POST $SHOP/storefront/pin
  dormouse -X DELETE $SHOP/storefront/pin

One workload in the namespace staging falls asleep by its own schedule within two minutes:

  kubectl get deployments -n staging -w
`
}

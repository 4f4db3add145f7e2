import { createApi, type Api } from '../service/api/app.ts'
import type { AuthSettings } from '../service/auth/ports.ts'
import { systemMonotonic } from '../process/clock.ts'
import type { Config } from '../service/config/config.ts'
import { UsageError } from '../process/errors.ts'
import { AccessReviews } from '../kubernetes/reviews.ts'
import { Console } from '../console/console.ts'
import type { Wiring } from './wiring.ts'
import { readText } from '../process/named-file.ts'

/** @throws UsageError when a key file cannot be read, or the settings of authentication cannot work */
export async function apiOf(wiring: Wiring): Promise<Api> {
  const { config, cluster, rules, accounting, clock, logger, metrics, excludeNamespaces, local, signIn } =
    wiring
  const auth: AuthSettings = { ...config.auth, local: local ?? (await localAuth(config)) }
  const { bodyLimit, rate, trustedProxies, waiters } = config.api
  try {
    return createApi({
      workloads: cluster.informer,
      writer: cluster.patcher,
      reviews: new AccessReviews(cluster.client),
      hasScale: (kind) => cluster.configured.hasScale(kind),
      rules,
      clock,
      monotonic: systemMonotonic,
      logger,
      settings: {
        cluster: config.cluster,
        accounting,
        excludeNamespaces,
        ...wakers(wiring),
        bodyLimit,
        rate,
        waiters,
        auth,
        trustedProxies,
        kinds: [...cluster.configured.fields.keys()],
      },
      observer: metrics.api,
      ...(config.console.enabled && { console: new Console(signIn, config.console.signOutUrl) }),
    })
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message, { cause: error })
    throw error
  }
}

/** The wakers run under their own ServiceAccount; in the sandbox they have a token of it. */
function wakers({ config, namespace, local }: Wiring): { waker?: string } {
  const { enabled, account } = config.waker
  if (!enabled) return {}
  return { waker: local ? `local:${account}` : `k8s:system:serviceaccount:${namespace}:${account}` }
}

async function localAuth({ auth: { local } }: Config): Promise<AuthSettings['local']> {
  if (!local) return null
  const { issuer, audience, publicKeyFile } = local
  return { issuer, audience, publicKey: await readText('auth.local.publicKeyFile', publicKeyFile) }
}

import type { Manifest } from './helm.ts'

type Webhook = Readonly<Record<string, unknown>>

/** A webhook without the fields that the leader sets. */
export function withoutTrust({ failurePolicy, clientConfig, ...webhook }: Webhook): object {
  const policies = ['Fail', 'Ignore'].includes(String(failurePolicy))
  return { ...webhook, policies, clientConfig: { ...(clientConfig as object), caBundle: undefined } }
}

/** Whether scaling fails without the webhook. */
export function isInForce({ webhooks = [] }: Manifest): boolean {
  return webhooks.some(({ failurePolicy }) => failurePolicy === 'Fail')
}

/** The CA that the API server trusts, PEM. */
export function trusted({ webhooks = [] }: Manifest): string {
  const { caBundle = '' } = (webhooks[0]?.['clientConfig'] ?? {}) as { caBundle?: string }
  return Buffer.from(caBundle, 'base64').toString()
}

import type { Manifest } from './helm.ts'

/** Whether scaling a held workload fails without the webhook. */
export function isInForce({ webhooks = [] }: Manifest): boolean {
  return webhooks.some(({ failurePolicy }) => failurePolicy === 'Fail')
}

/** The CA that the API server trusts, PEM. */
export function trusted({ webhooks = [] }: Manifest): string {
  const { caBundle = '' } = (webhooks[0]?.['clientConfig'] ?? {}) as { caBundle?: string }
  return Buffer.from(caBundle, 'base64').toString()
}

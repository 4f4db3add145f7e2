import type { WebhookRegistrationOptions } from '../../../src/kubernetes/registration/registration.ts'

/** For tests without pins and overrides. */
export const NOTHING_HELD: WebhookRegistrationOptions['held'] = {
  scope: () => ({ type: 'workloads', names: [] }),
  onChange: () => () => {},
}

import { compilePolicy, type CompiledPolicy } from '../../../src/domain/policy/configured.ts'
import {
  Inheritance,
  type Heir,
  type Inherited,
  type Namespace,
} from '../../../src/domain/policy/inheritance.ts'
import type { SettingName } from '../../../src/domain/inheritable.ts'

export type Level = 'workload' | 'namespace' | 'policy'

const DEPLOYMENT: Heir = { kind: 'deployments', owner: undefined, labels: undefined }

/** The Namespace shop. */
export function aNamespace(change: Partial<Namespace> = {}): Namespace {
  return {
    name: 'shop',
    uid: 'uid-of-shop',
    resourceVersion: '1',
    labels: undefined,
    annotations: {},
    deleting: false,
    ...change,
  }
}

/** A workload's inherited settings in the Namespace shop. */
export function heirIn(
  namespace: Partial<Namespace>,
  policies: readonly CompiledPolicy[],
  heir: Partial<Heir> = {},
): Inherited {
  return new Inheritance(policies).of(aNamespace(namespace)).by({ ...DEPLOYMENT, ...heir })
}

/** A Deployment's settings inherited from these texts; a policy has them in the configuration's form. */
export function inheriting(texts: Partial<Record<Level, Partial<Record<SettingName, string>>>>): Inherited {
  const { enabled, autoWake, deployWakes, asleepReplicas, ...rest } = texts.policy ?? {}
  const policy = compilePolicy({
    name: 'first',
    namespaces: { names: ['*'] },
    ...rest,
    enabled: enabled === undefined ? null : enabled === 'true',
    autoWake: autoWake === undefined ? null : autoWake === 'true',
    deployWakes: deployWakes === undefined ? null : deployWakes === 'true',
    asleepReplicas: asleepReplicas === undefined ? null : Number(asleepReplicas),
  })
  return heirIn({ annotations: texts.namespace ?? {} }, [policy])
}

export interface ImportedSpec {
  readonly replicas?: number
  readonly suspend?: boolean
  readonly minReplicas?: number
  readonly maxReplicas?: number
  readonly minAvailable?: number | string
  readonly maxUnavailable?: number | string
  readonly type?: string
  readonly ingressClassName?: string
  readonly scaleTargetRef?: { readonly kind?: string; readonly name?: string }
  readonly jobTemplate?: { readonly spec?: ImportedSpec }
  readonly [field: string]: unknown
  readonly template?: { readonly metadata?: object; readonly spec?: ImportedPodSpec }
}

interface ImportedPodSpec {
  readonly nodeSelector?: Readonly<Record<string, string>>
  readonly containers?: readonly ImportedContainer[]
}

export interface ImportedContainer {
  readonly name?: string
  readonly image?: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly env?: readonly {
    readonly name: string
    readonly value?: string
    readonly valueFrom?: { readonly configMapKeyRef?: KeyRef; readonly secretKeyRef?: KeyRef }
  }[]
  readonly envFrom?: readonly EnvironmentSource[]
}

interface KeyRef {
  readonly name: string
  readonly key: string
}

/** One of both; with the prefix of each variable's name. */
export interface EnvironmentSource {
  readonly prefix?: string
  readonly configMapRef?: { readonly name: string } | undefined
  readonly secretRef?: { readonly name: string } | undefined
}

/** RFC 7396. */
export type MergePatch = { readonly [key: string]: MergePatch | string | number | boolean | null }

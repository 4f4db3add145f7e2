/** The Kubernetes API's objects; only the fields that the sandbox itself reads have types. */
export interface OwnerReference {
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean
  blockOwnerDeletion?: boolean
}

/** The fields set by one manager; `fieldsV1` as in the API concepts page "Server-Side Apply". */
export interface ManagedFieldsEntry {
  manager?: string
  operation?: string
  apiVersion?: string
  time?: string
  fieldsType?: string
  fieldsV1?: FieldSet
  subresource?: string
}

export interface FieldSet {
  [field: string]: FieldSet
}

export interface ObjectMeta {
  name: string
  generateName?: string
  namespace?: string
  uid?: string
  resourceVersion?: string
  generation?: number
  creationTimestamp?: string
  labels?: Record<string, string>
  annotations?: Record<string, string>
  ownerReferences?: OwnerReference[]
  managedFields?: ManagedFieldsEntry[]
  [field: string]: unknown
}

/** The user of a request: `UserInfo` of `authentication.k8s.io/v1`. */
export interface UserInfo {
  username: string
  uid?: string
  groups: string[]
  extra?: Record<string, string[]>
}

export interface LabelSelector {
  matchLabels?: Record<string, string>
  matchExpressions?: { key: string; operator: string; values?: string[] }[]
}

export interface Container {
  name: string
  image: string
  [field: string]: unknown
}

export interface PodTemplate {
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> }
  spec?: { containers?: Container[]; nodeSelector?: Record<string, string>; [field: string]: unknown }
}

export interface ObjectSpec {
  replicas?: number
  selector?: LabelSelector
  template?: PodTemplate
  revisionHistoryLimit?: number
  nodeName?: string
  containers?: Container[]
  [field: string]: unknown
}

/** Stored objects are never changed in place: a write replaces them, so that readers may keep them. */
export interface KubeObject {
  apiVersion: string
  kind: string
  metadata: ObjectMeta
  spec?: ObjectSpec
  status?: Record<string, unknown>
  [field: string]: unknown
}

/** An object as stored, with the fields that the store sets. */
export type StoredObject = KubeObject & { metadata: ObjectMeta & { uid: string; resourceVersion: string } }

export type JsonRecord = Record<string, unknown>

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller === true)
}

export function count(record: JsonRecord | undefined, field: string): number {
  const value = record?.[field]
  return typeof value === 'number' ? value : 0
}

export function text(record: unknown, field: string): string {
  const value = isRecord(record) ? record[field] : undefined
  return typeof value === 'string' ? value : ''
}

export function list(record: unknown, field: string): unknown[] {
  const value = isRecord(record) ? record[field] : undefined
  return Array.isArray(value) ? value : []
}

/** The value at a path of fields, `a.b`. */
export function valueAt(object: unknown, path: string): unknown {
  return path.split('.').reduce((at, step) => (isRecord(at) ? at[step] : undefined), object)
}

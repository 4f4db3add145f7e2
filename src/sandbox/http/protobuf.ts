import type { JsonRecord } from '../store/object.ts'
import { StatusError } from '../store/status.ts'

export const PROTOBUF = 'application/vnd.kubernetes.protobuf'

/**
 * The messages of `kubectl create …`, `kubectl create token` and `kubectl auth …`, which can send protobuf only:
 * field number → name and type. `?` marks a field that is kept when zero, `[]` a list, `{}` a map.
 * Source: the generated.proto files of k8s.io/api and k8s.io/apimachinery.
 */
const MESSAGES: Record<string, Record<number, string>> = {
  Namespace: { 1: 'metadata ObjectMeta' },
  ConfigMap: { 1: 'metadata ObjectMeta', 2: 'data {}string', 3: 'binaryData {}bytes', 4: 'immutable bool' },
  Secret: {
    1: 'metadata ObjectMeta',
    2: 'data {}bytes',
    3: 'type string',
    4: 'stringData {}string',
    5: 'immutable bool',
  },
  ServiceAccount: { 1: 'metadata ObjectMeta' },
  Deployment: { 1: 'metadata ObjectMeta', 2: 'spec DeploymentSpec' },
  TokenRequest: { 1: 'metadata ObjectMeta', 2: 'spec TokenRequestSpec' },
  TokenReview: { 1: 'metadata ObjectMeta', 2: 'spec TokenReviewSpec' },
  SelfSubjectReview: { 1: 'metadata ObjectMeta' },
  SelfSubjectAccessReview: { 1: 'metadata ObjectMeta', 2: 'spec SelfSubjectAccessReviewSpec' },
  DeleteOptions: {
    1: 'gracePeriodSeconds int?',
    2: 'preconditions Preconditions',
    3: 'orphanDependents bool',
    4: 'propagationPolicy string',
    5: 'dryRun []string',
  },
  TypeMeta: { 1: 'apiVersion string', 2: 'kind string' },
  Preconditions: { 1: 'uid string', 2: 'resourceVersion string' },
  ObjectMeta: {
    1: 'name string',
    2: 'generateName string',
    3: 'namespace string',
    5: 'uid string',
    6: 'resourceVersion string',
    11: 'labels {}string',
    12: 'annotations {}string',
  },
  DeploymentSpec: {
    1: 'replicas int?',
    2: 'selector LabelSelector',
    3: 'template PodTemplateSpec',
    6: 'revisionHistoryLimit int?',
  },
  LabelSelector: { 1: 'matchLabels {}string' },
  PodTemplateSpec: { 1: 'metadata ObjectMeta', 2: 'spec PodSpec' },
  PodSpec: { 2: 'containers []Container', 3: 'restartPolicy string', 7: 'nodeSelector {}string' },
  Container: {
    1: 'name string',
    2: 'image string',
    3: 'command []string',
    4: 'args []string',
    6: 'ports []ContainerPort',
  },
  ContainerPort: { 1: 'name string', 3: 'containerPort int', 4: 'protocol string' },
  TokenRequestSpec: { 1: 'audiences []string', 4: 'expirationSeconds int?' },
  TokenReviewSpec: { 1: 'token string', 2: 'audiences []string' },
  SelfSubjectAccessReviewSpec: { 1: 'resourceAttributes ResourceAttributes' },
  ResourceAttributes: {
    1: 'namespace string',
    2: 'verb string',
    3: 'group string',
    4: 'version string',
    5: 'resource string',
    6: 'subresource string',
    7: 'name string',
  },
}

const MAGIC = Buffer.from('k8s\0')

/** Decodes an object from Kubernetes' protobuf envelope. @throws StatusError 400, 415 for a kind not in MESSAGES */
export function decodeProtobuf(bytes: Buffer): JsonRecord {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) throw malformed('the magic number is missing')
  let type: JsonRecord = {}
  let raw: Buffer = Buffer.alloc(0)
  for (const { number, value } of fields(bytes.subarray(MAGIC.length))) {
    if (!Buffer.isBuffer(value)) continue
    if (number === 1) type = message('TypeMeta', value)
    if (number === 2) raw = value
  }
  const kind = String(type['kind'])
  if (!Object.hasOwn(MESSAGES, kind))
    throw new StatusError(415, `the sandbox cannot read ${kind} from protobuf: send application/json`)
  return { ...type, ...message(kind, raw) }
}

type WireValue = number | Buffer

function message(name: string, bytes: Buffer): JsonRecord {
  const result: JsonRecord = {}
  for (const { number, value } of fields(bytes)) {
    const [field, type] = MESSAGES[name]?.[number]?.split(' ') ?? []
    if (field === undefined || type === undefined) continue
    const read = known(type, value)
    if (read !== undefined) result[field] = combined(result[field], read, type)
  }
  return result
}

function combined(before: unknown, read: unknown, type: string): unknown {
  if (type.startsWith('[]')) return [...(Array.isArray(before) ? before : []), read]
  if (type.startsWith('{}') && typeof before === 'object') return Object.assign(before ?? {}, read)
  return read
}

/** Undefined: JSON would leave the field out. */
function known(type: string, value: WireValue): unknown {
  if (typeof value === 'number') {
    if (type === 'bool') return value === 1 || undefined
    return type === 'int?' ? value : value || undefined
  }
  const item = type.replace(/^\[\]/, '')
  if (item.startsWith('{}')) return entry(item.slice(2), value)
  if (item === 'string') return value.toString('utf8') || (type === item ? undefined : '')
  return Object.hasOwn(MESSAGES, item) ? message(item, value) : undefined
}

function entry(type: string, bytes: Buffer): JsonRecord {
  let [key, read]: [string, Buffer] = ['', Buffer.alloc(0)]
  for (const { number, value } of fields(bytes)) {
    if (!Buffer.isBuffer(value)) continue
    if (number === 1) key = value.toString('utf8')
    if (number === 2) read = value
  }
  return { [key]: read.toString(type === 'bytes' ? 'base64' : 'utf8') }
}

const WIRE_TYPES = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const

/** The wire format: https://protobuf.dev/programming-guides/encoding/ */
function* fields(bytes: Buffer): Generator<{ number: number; value: WireValue }> {
  let at = 0
  const varint = (): number => {
    let [value, factor] = [0, 1]
    for (;;) {
      const byte = bytes[at++]
      if (byte === undefined || factor > 2 ** 63) throw malformed('it ends within a number')
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value > Number.MAX_SAFE_INTEGER ? value - 2 ** 64 : value
      factor *= 128
    }
  }
  const taken = (length: number): Buffer => {
    if (at + length > bytes.length) throw malformed('it ends within a field')
    at += length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const tag = varint()
    const number = Math.floor(tag / 8)
    switch (tag % 8) {
      case WIRE_TYPES.varint:
        yield { number, value: varint() }
        break
      case WIRE_TYPES.bytes:
        yield { number, value: taken(varint()) }
        break
      case WIRE_TYPES.fixed64:
        taken(8)
        break
      case WIRE_TYPES.fixed32:
        taken(4)
        break
      default:
        throw malformed('a field has an unknown wire type')
    }
  }
}

const malformed = (why: string) => new StatusError(400, `the body is not valid Kubernetes protobuf: ${why}`)

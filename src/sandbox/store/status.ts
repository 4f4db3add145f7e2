import type { Resource } from './resources.ts'

export interface Cause {
  reason: 'FieldValueInvalid' | 'FieldValueRequired'
  message: string
  field: string
}

const REASONS: Record<number, string> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Expired',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  500: 'InternalError',
}

export interface StatusDetails {
  name?: string
  group?: string
  kind?: string
  uid?: string
  causes?: Cause[]
}

/** An answer other than success, sent as a `Status` object. */
export class StatusError extends Error {
  readonly code: number
  readonly reason: string
  readonly details: StatusDetails

  constructor(code: number, message: string, options: { reason?: string; details?: StatusDetails } = {}) {
    super(message)
    this.name = 'StatusError'
    this.code = code
    this.reason = options.reason ?? REASONS[code] ?? 'Unknown'
    this.details = options.details ?? {}
  }

  toJSON(): object {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      reason: this.reason,
      details: this.details,
      code: this.code,
    }
  }
}

export function success(details: StatusDetails): object {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details }
}

const groupResource = (resource: Resource) =>
  resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`

const detailsOf = (resource: Resource, name: string): StatusDetails => ({
  name,
  ...(resource.group === '' ? {} : { group: resource.group }),
  kind: resource.plural,
})

export function notFound(resource: Resource, name: string): StatusError {
  return new StatusError(404, `${groupResource(resource)} "${name}" not found`, {
    details: detailsOf(resource, name),
  })
}

export const unknownPath = (path: string) =>
  new StatusError(404, `the sandbox serves nothing at ${path}: kubectl api-resources lists what it has`)

export const methodNotAllowed = () =>
  new StatusError(405, 'the server does not allow this method on the requested resource')

export const badRequest = (message: string) => new StatusError(400, message)

export function alreadyExists(resource: Resource, name: string): StatusError {
  return new StatusError(409, `${groupResource(resource)} "${name}" already exists`, {
    reason: 'AlreadyExists',
    details: detailsOf(resource, name),
  })
}

export function conflict(
  resource: Resource,
  name: string,
  why = 'the object has been modified; please apply your changes to the latest version and try again',
): StatusError {
  return new StatusError(
    409,
    `Operation cannot be fulfilled on ${groupResource(resource)} "${name}": ${why}`,
    { details: detailsOf(resource, name) },
  )
}

export function invalid(resource: Resource, name: string, causes: Cause[]): StatusError {
  const kind = resource.group === '' ? resource.kind : `${resource.kind}.${resource.group}`
  const faults = causes.map(({ field, message }) => `${field}: ${message}`)
  const list = faults.length === 1 ? faults.join('') : `[${faults.join(', ')}]`
  return new StatusError(422, `${kind} "${name}" is invalid: ${list}`, {
    details: { ...detailsOf(resource, name), kind: resource.kind, causes },
  })
}

export function wrong(field: string, value: unknown, why: string): Cause {
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${String(value)}: ${why}` }
}

export function required(field: string, why?: string): Cause {
  return { reason: 'FieldValueRequired', field, message: `Required value${why ? `: ${why}` : ''}` }
}

export function gone(asked: number, oldest: number): StatusError {
  return new StatusError(410, `too old resource version: ${asked} (${oldest})`)
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../../process/clock.ts'
import type { ClientWrites } from '../admission/client-writes.ts'
import type { UserInfo } from '../store/object.ts'
import type { Registry } from '../store/registry.ts'
import type { Target } from '../store/resources.ts'
import { Presentation } from './presentation.ts'
import type { Form, Route } from './request.ts'
import type { Watches } from './watch.ts'

/** The needs of the request handlers. */
export interface ResourceParts {
  registry: Registry
  writes: ClientWrites
  watches: Watches
  clock: Clock
}

/** One request for a resource, read and authenticated. */
export interface Call {
  request: IncomingMessage
  response: ServerResponse
  method: string
  route: Route
  query: URLSearchParams
  form: Form
  user: UserInfo
  body: unknown
  /** The media type of the body. */
  type: string
  /** Adds a `Warning` header to the answer. */
  warn: (text: string) => void
}

export const target = ({ resource, namespace, name = '' }: Route): Target => ({ resource, namespace, name })

export const presentation = (call: Call, { clock }: Pick<ResourceParts, 'clock'>) =>
  new Presentation(call.route.resource, call.form, call.query.get('includeObject'), clock)

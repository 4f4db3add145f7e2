import type { Dormouse } from '../../client/ports.ts'
import type { Answered, Call } from './call.ts'
import { answerCall } from './calls.ts'
import { listEvents } from './list-stream.ts'

/** As much of the v1 API as the page calls. */
export interface PageApi {
  /** @throws Refusal, and errors of the port */
  answer(call: Call): Promise<Answered>
  /** A list that is watched, as server-sent events; undefined: the call asks for none. @throws Refusal */
  events(call: Call): AsyncIterable<string> | undefined
}

/** The API over one cluster; `namespace`: that of the list, undefined: all. */
export class ClusterApi implements PageApi {
  readonly #dormouse: Dormouse
  readonly #namespace: string | undefined

  constructor(dormouse: Dormouse, namespace: string | undefined) {
    this.#dormouse = dormouse
    this.#namespace = namespace
  }

  answer(call: Call): Promise<Answered> {
    return answerCall(this.#dormouse, call, this.#namespace)
  }

  events(call: Call): AsyncIterable<string> | undefined {
    return isWatch(call) ? listEvents(this.#dormouse, this.#namespace, call.signal) : undefined
  }
}

/** Whether it asks for the list of everything, watched. */
export function isWatch({ method, path, query }: Call): boolean {
  return method === 'GET' && path === '/workloads' && query.get('watch') === 'true'
}

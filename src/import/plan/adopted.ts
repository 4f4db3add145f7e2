import { InvalidRequest, parseRequest } from '../../domain/requests/annotation.ts'
import { decodeState, Unreadable } from '../../domain/workload/state-codec.ts'
import { ANNOTATION } from '../../domain/workload/workload.ts'
import type { ImportedObject } from './imported-object.ts'

/** The count that it was adopted with; undefined: it was not, or something else was asked of it since. */
export function adoptedWith({ metadata }: ImportedObject): number | undefined {
  const text = metadata.annotations?.[ANNOTATION.state]
  const state = text === undefined ? undefined : decodeState(text)
  if (!state || state instanceof Unreadable || !state.request) return undefined
  try {
    const { verb, count } = parseRequest(state.request.text)
    return verb === 'adopt' ? count : undefined
  } catch (error) {
    if (error instanceof InvalidRequest) return undefined
    throw error
  }
}

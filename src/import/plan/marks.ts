import {
  ASLEEP_LABEL,
  KEPT_BY_DOWNSCALERS,
  MAX_REPLICAS,
  ANNOTATION,
} from '../../domain/workload/workload.ts'
import { type ImportedObject, type MergePatch, countIn, hasCount, isAtRest } from './imported-object.ts'
import type { Settings } from './program.ts'
import { InvalidRequest, parseRequest } from '../../domain/requests/annotation.ts'
import { decodeState, Unreadable } from '../../domain/workload/state-codec.ts'

const PREFIX = 'downscaler/'
export const KEPT = KEPT_BY_DOWNSCALERS
export const KEPT_PAUSE = `${PREFIX}original-pause-replicas`

/** All annotations of a downscaler, its settings and what it keeps. */
export function marksOf(object: ImportedObject | undefined): Settings {
  const entries = Object.entries(object?.metadata.annotations ?? {})
  return Object.fromEntries(entries.filter(([name]) => name.startsWith(PREFIX)))
}

/** Annotations of a downscaler by their keys without `downscaler/`. */
export function settingsOf(marks: Settings): Settings {
  return Object.fromEntries(Object.entries(marks).map(([name, value]) => [name.slice(PREFIX.length), value]))
}

/** Annotations for a merge patch that removes these. */
export function without(marks: Readonly<Record<string, unknown>>): MergePatch {
  return Object.fromEntries(Object.keys(marks).map((name) => [name, null]))
}

/** `rest`: the count with which the tool leaves a sleeper. */
export function isAsleepByTool(object: ImportedObject, rest = 0): boolean {
  const hasRest = hasCount(object) && (countIn(object) ?? 1) <= Math.min(rest, (keptCount(object) ?? 0) - 1)
  return KEPT in marksOf(object) && (isAtRest(object) || hasRest)
}

/** The count that the tool kept, which is 1 for kinds without a count; undefined: it kept none, or no number. */
export function keptCount(object: ImportedObject): number | undefined {
  const text = marksOf(object)[KEPT]
  return text === undefined || hasCount(object) ? countOf(text) : 1
}

/** The count that a sleeper of ours keeps, if it is above 0. undefined: there may be something to adopt. */
export function keptByDormouse(object: ImportedObject | undefined): number | undefined {
  return countOf(object?.metadata.labels?.[ASLEEP_LABEL])
}

function countOf(text = ''): number | undefined {
  const count = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined
  return count !== undefined && count <= MAX_REPLICAS ? count : undefined
}

/** The count that a workload was adopted with; undefined: it was not, or has had another request since. */
export function adoptedWith({ metadata }: ImportedObject): number | undefined {
  const text = metadata.annotations?.[ANNOTATION.state]
  const state = text === undefined ? undefined : decodeState(text)
  if (!state || state instanceof Unreadable || !state.request) return undefined
  try {
    const { request } = parseRequest(state.request.text)
    return request.action === 'adopt' ? request.count : undefined
  } catch (error) {
    if (error instanceof InvalidRequest) return undefined
    throw error
  }
}

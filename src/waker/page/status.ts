import type { KnockAnswer, KnockState } from '../../domain/traffic/knock.ts'
import { clip } from '../../domain/text.ts'
import { printable } from '../../process/printable.ts'
import type { SleepingPort } from '../ports.ts'
import type { Language } from './language.ts'

/** A piece of a sentence: text, or an element with its text. `time` has ISO 8601, which the reader's own zone shows. */
export type Part = string | readonly [element: 'bdi' | 'code' | 'time', text: string]

/** The page as it is now: the page is written from it, and its script gets it as JSON. */
export interface PageStatus {
  readonly namespace: string
  readonly service: string
  /** `unknown`: Dormouse cannot be asked now. */
  readonly state: KnockState | 'unknown'
  /** asleep, held: until then, in ISO 8601; null: nobody knows. */
  readonly until: string | null
  readonly late: boolean
  readonly usual_seconds: number | null
  /** Whether opening the page wakes it, or a person presses the button. */
  readonly wakes: 'opened' | 'pressed'
  readonly headline: readonly Part[]
  readonly lines: readonly (readonly Part[])[]
  /** Workloads and reasons, where the page may show them. */
  readonly details: readonly (readonly Part[])[]
}

/** Workloads and characters of a reason that are shown: the page stays small. */
const MOST_SHOWN = 8
const LONGEST_REASON = 200
/** Longer ones are told in minutes. */
const SECONDS_TOLD = 100

/** The page for what Dormouse answered; undefined: it cannot be asked. `details`: with workloads and reasons. */
export function statusOf(
  { namespace, service, mode }: SleepingPort,
  answer: KnockAnswer | undefined,
  language: Language,
  details: boolean,
): PageStatus {
  const until = answer && isTime(answer.until) ? answer.until : null
  const state: PageStatus['state'] = answer?.state ?? 'unknown'
  const values = {
    service: ['bdi', service],
    namespace: ['bdi', namespace],
    until: ['time', until ?? ''],
    duration: durationIn(language.tag, answer?.usual_seconds ?? 0),
    command: ['code', commandFor(namespace, answer)],
  } as const
  const told = (text: string) => filled(text, values)
  const { texts } = language
  const late = state === 'waking' && answer?.late === true
  const status = { namespace, service, state, until, late, usual_seconds: answer?.usual_seconds ?? null }
  const wakes = mode === 'button' ? 'pressed' : 'opened'
  const lines = linesOf({ ...status, wakes }, texts)
  return {
    ...status,
    wakes,
    headline: told(late ? texts.late : texts[state]),
    lines: lines.map(told),
    details: details && answer ? detailsOf(answer, told(texts.command)) : [],
  }
}

function linesOf(
  { state, until, late, usual_seconds: usual, wakes }: Omit<PageStatus, 'headline' | 'lines' | 'details'>,
  texts: Language['texts'],
): string[] {
  switch (state) {
    case 'asleep':
      return [
        ...(until === null ? [] : [texts.asleepUntil]),
        ...(wakes === 'pressed' ? [texts.pressButton] : []),
      ]
    case 'waking':
      return late ? [texts.lateWhy] : [...(usual === null ? [] : [texts.usual]), texts.opens]
    case 'held':
      return [until === null ? texts.heldOpen : texts.heldUntil]
    case 'awake':
      return [texts.awakeOpens]
    case 'off':
      return [texts.offWhy]
    case 'unknown':
      return [texts.unknownWhy]
  }
}

function detailsOf({ state, workloads }: KnockAnswer, command: readonly Part[]): Part[][] {
  const shown = workloads.slice(0, MOST_SHOWN).map(({ kind, name, reason }): Part[] => {
    return [['code', `${kind}/${name}`], ` ${clip(printable(reason), LONGEST_REASON)}`]
  })
  const more = workloads.length > MOST_SHOWN ? [[`+ ${workloads.length - MOST_SHOWN}`]] : []
  const mayWake = (state === 'asleep' || state === 'held') && workloads.length > 0
  return [...(mayWake ? [[...command]] : []), ...shown, ...more]
}

/** Wakes those that sleep. */
function commandFor(namespace: string, answer: KnockAnswer | undefined): string {
  const sleepers = (answer?.workloads ?? []).filter(({ state }) => state === 'asleep' || state === 'held')
  const names = sleepers.slice(0, MOST_SHOWN).map(({ kind, name }) => `${kind}/${name}`)
  return ['kubectl dormouse wake', ...names, '-n', namespace].join(' ')
}

function durationIn(tag: string, seconds: number): string {
  const [unit, count] = seconds < SECONDS_TOLD ? ['second', seconds] : ['minute', Math.ceil(seconds / 60)]
  return new Intl.NumberFormat(tag, { style: 'unit', unit, unitDisplay: 'long' }).format(count)
}

function filled(text: string, values: Readonly<Record<string, Part>>): Part[] {
  const pieces = text.split(/\{(\w+)\}/)
  return pieces
    .map((piece, index) => (index % 2 === 0 ? piece : (values[piece] ?? '')))
    .filter((part) => part !== '')
}

function isTime(text: string | null): text is string {
  return text !== null && !Number.isNaN(Date.parse(text))
}

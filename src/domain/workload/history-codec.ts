import type { Instant } from '../../process/clock.ts'
import { parseInstant, writtenInstant } from './instant.ts'
import type { Operation, State, UnreadOperation } from './state.ts'
import { MAX_REPLICAS } from './workload.ts'

export const HISTORY_LIMIT = 20
const LONGEST_AUTHOR = 128
/** The first and the last instant that `parseInstant` takes. */
const FIRST = Date.parse('0000-01-01T00:00:00Z')
const LAST = Date.parse('9999-12-31T23:59:59.999Z')

/** The operations of a state, as far as this release can read them. */
export type History = Pick<State, 'history' | 'unreadHistory'>
type Entry = Operation | UnreadOperation

// The grammar of `dormouse.dev/history`, which docs/concepts.md states, too:
//
//   2026-03-02T18:00:00.012Z s+1200 36000000w3+45678 50400003@1s/api ["k8s:alice"] ~tag
//
// The newest operation's time, a word for each, newest first, the names that words refer to, and the tag, which
// `tag.ts` reads. A word has in this
// order: milliseconds before the word to its left (0 where left out), @ and which of the names its author is, `s` or `w`
// for snooze or wake, the count after it (0), / and its trigger (schedule), ! and its result (running without a
// duration, else succeeded), + and its duration in milliseconds, # and the generation that its own write made.
const TEXT = /^(\S+)((?: [^ [~][^ ]*)+)(?: (\[.*\]))?(?: ~[\w-]+)?$/s
/** Words of a later release begin like this, too. */
const WORD = /^(-?\d{1,15})?(?:@(\d{1,2}))?([^\d@[].*)$/s
const OPERATION =
  /^([sw])(\d{1,10})?(?:\/([\w.-]{1,40}))?(?:!([\w.-]{1,40}))?(?:\+(\d{1,16}))?(?:#(\d{1,16}))?$/

/** The annotation's text for the newest `most` operations; undefined: there are none. */
export function encodeHistory(history: History, most = HISTORY_LIMIT): string | undefined {
  const entries = inOrder(history).slice(0, most)
  const [newest] = entries
  if (!newest) return undefined
  const names = [...new Set(entries.flatMap(({ by }) => by ?? []))]
  const words = entries.map((entry, index) => {
    const since = (entries[index - 1] ?? newest).at - entry.at
    const author = entry.by === null ? '' : `@${names.indexOf(entry.by) + 1}`
    return `${since || ''}${author}${isUnread(entry) ? entry.word : wordOf(entry)}`
  })
  return [writtenInstant(newest.at), ...words, ...(names.length > 0 ? [JSON.stringify(names)] : [])].join(' ')
}

/** Each unread operation before the first one that is not newer. */
function inOrder({ history, unreadHistory = [] }: History): Entry[] {
  const entries: Entry[] = [...history]
  for (const unread of unreadHistory.toReversed()) {
    const place = entries.findIndex(({ at }) => at <= unread.at)
    entries.splice(place === -1 ? entries.length : place, 0, unread)
  }
  return entries
}

function wordOf({ type, trigger, replicas, duration, result, generation }: Operation): string {
  const letter = type === 'snooze' ? 's' : 'w'
  return [
    `${letter}${replicas || ''}`,
    trigger === 'schedule' ? '' : `/${trigger}`,
    result === resultBy(duration) ? '' : `!${result}`,
    duration === null ? '' : `+${duration}`,
    generation === undefined ? '' : `#${generation}`,
  ].join('')
}

function resultBy(duration: number | null): Operation['result'] {
  return duration === null ? 'running' : 'succeeded'
}

/** Reads the annotation. A fault costs the history, and nothing else. */
export function decodeHistory(text: string): History {
  const entries = entriesIn(text)
  const unreadHistory = entries.filter(isUnread)
  return {
    history: entries.flatMap((entry) => (isUnread(entry) ? [] : entry)),
    ...(unreadHistory.length > 0 ? { unreadHistory } : {}),
  }
}

/** The newest operations; none where the text has a fault. */
function entriesIn(text: string): Entry[] {
  const [, time, words = '', list = '[]'] = TEXT.exec(text) ?? []
  const names = namesIn(list)
  const entries: Entry[] = []
  let at: Instant = parseInstant(time)
  for (const each of words.trim().split(' ').slice(0, HISTORY_LIMIT)) {
    const [, since = '0', author, word] = WORD.exec(each) ?? []
    const by = author === undefined ? null : names[Number(author) - 1]
    at -= Number(since)
    if (word === undefined || by === undefined || !(at >= FIRST && at <= LAST)) return []
    entries.push(operationOf(word, at, by) ?? { at, by, word })
  }
  return entries
}

function namesIn(list: string): string[] {
  try {
    const names: unknown = JSON.parse(list)
    const isName = (name: unknown) => typeof name === 'string' && name.length <= LONGEST_AUTHOR
    return Array.isArray(names) && names.every(isName) ? (names as string[]) : []
  } catch {
    return []
  }
}

/** undefined: this release cannot read it. */
function operationOf(word: string, at: Instant, by: string | null): Operation | undefined {
  const [whole, letter, count = 0, trigger = 'schedule', said, took, generation] = OPERATION.exec(word) ?? []
  const replicas = Number(count)
  const duration = took === undefined ? null : Number(took)
  const numbers = [duration ?? 0, Number(generation ?? 0)]
  if (whole === undefined || replicas > MAX_REPLICAS || !numbers.every(Number.isSafeInteger)) return undefined
  return {
    type: letter === 's' ? 'snooze' : 'wake',
    trigger,
    at,
    replicas,
    duration,
    by,
    result: said ?? resultBy(duration),
    ...(generation === undefined ? {} : { generation: Number(generation) }),
  }
}

function isUnread(entry: Entry): entry is UnreadOperation {
  return 'word' in entry
}

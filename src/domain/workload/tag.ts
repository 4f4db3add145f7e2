import { LRUCache } from 'lru-cache'
import type { StateTexts } from './state-codec.ts'
import type { Workload } from './workload.ts'

// The tag of `dormouse.dev/state` is its last key, that of `dormouse.dev/history` its last word:
//
//   {"v":2,…,"tag":"KEYmac"}      2026-03-02T18:00:00.012Z s+1200 ["k8s:alice"] ~KEYmac
//
// Three characters name the key; the others are an HMAC-SHA-256, cut to 128 bits, in base64url.

/** An annotation that carries a tag of its own. */
type Tagged = keyof StateTexts
const TAGGED = ['state', 'history'] as const satisfies readonly Tagged[]
type Subject = Pick<Workload, 'kind' | 'namespace' | 'name' | 'uid'>

const TAG: Readonly<Record<Tagged, RegExp>> = {
  state: /,"tag":"([\w-]{3})([\w-]{22})"\}$/,
  history: / ~([\w-]{3})([\w-]{22})$/,
}
const KEY_LENGTH = 3
const MAC_LENGTH = 22
/** Bytes that the tags of a state and of its history take together. */
export const TAG_BYTES = ',"tag":""'.length + ' ~'.length + 2 * (KEY_LENGTH + MAC_LENGTH)

/** The HMAC-SHA-256 of a text by a secret, in base64url. */
export type Hmac = (secret: string, text: string) => string

/** A secret that signs states, and the characters in a tag that name it. */
interface Key {
  readonly name: string
  readonly secret: string
}

/** How far a state counts, other than whole. */
export type Trust =
  /** Whole; but it is to be signed anew: by the newest key, or for the first time. */
  | 'renew'
  /** Its kept count alone: nobody who may has written it. */
  | 'count'
  /** All but its history. */
  | 'no-history'
  /** Its kept count alone for now, and nothing is done about it: it names a key that was not looked for yet. */
  | 'unclear'

export interface Keys {
  /** Newest first; none: states are not signed, and all are believed. */
  readonly secrets: readonly string[]
  readonly hmac: Hmac
  /** The one that signs; default: the newest. */
  readonly signing?: string | undefined
  /** The keys before these are lost: states without a valid tag are believed until they are signed. */
  readonly adopts?: boolean
  /** Names of keys that were looked for, and are not there. */
  readonly absent?: ReadonlySet<string>
}

/** States whose tag was computed: each is read several times after a change. */
const KEPT = 256

/** The keys by which states are signed and verified, at one moment. Only this signs, and only this verifies. */
export class Keyring {
  readonly #hmac: Hmac
  readonly #keys: readonly Key[]
  readonly #signing: Key | undefined
  readonly #adopts: boolean
  readonly #absent: ReadonlySet<string>
  readonly #valid = new LRUCache<string, string>({ max: KEPT })

  constructor({ secrets, hmac, signing = secrets[0], adopts = false, absent = new Set() }: Keys) {
    this.#hmac = hmac
    this.#keys = secrets.map((secret) => ({ name: this.nameOf(secret), secret }))
    this.#signing = this.#keys.find(({ secret }) => secret === signing)
    this.#adopts = adopts
    this.#absent = absent
  }

  /** The texts with their tags; as they are where there is no key, or no uid yet (a creation under review). */
  signed(subject: Subject, { state, history }: StateTexts): StateTexts {
    const key = this.#signing
    if (!key || !subject.uid) return { state, ...(history === undefined ? {} : { history }) }
    const tag = (kind: Tagged, text: string) => {
      const mac = this.#mac(key, subject, kind, text)
      // It is read next.
      this.#valid.set(cacheKey(key, subject, kind, mac), text)
      return `${key.name}${mac}`
    }
    return {
      state: `${state.slice(0, -1)},"tag":"${tag('state', state)}"}`,
      ...(history === undefined ? {} : { history: `${history} ~${tag('history', history)}` }),
    }
  }

  /** How far the state of a workload counts; undefined: whole, or it has none. */
  trustIn(workload: Workload): Trust | undefined {
    const { state, history } = workload.annotations
    if (state === undefined || this.#keys.length === 0) return undefined
    const ofState = this.#verdict(workload, 'state', state)
    const ofHistory = history === undefined ? 'valid' : this.#verdict(workload, 'history', history)
    if (ofState === 'valid' && ofHistory === 'valid') return undefined
    if (this.#adopts) return 'renew'
    if (ofState === 'wrong') return 'count'
    if (ofState === 'unclear' || ofHistory === 'unclear') return 'unclear'
    return ofHistory === 'wrong' ? 'no-history' : 'renew'
  }

  /** The key that a tag names and that is to be looked for before anybody judges; undefined: none. */
  unknownKey(workload: Pick<Workload, 'annotations'>): string | undefined {
    if (this.#keys.length === 0 || this.#adopts) return undefined
    return namesIn(workload).find((name) => this.#isUnclear(name))
  }

  /** Whether a tag of one of the workloads names this key. */
  names(workloads: Iterable<Pick<Workload, 'annotations'>>, secret: string): boolean {
    const name = this.nameOf(secret)
    return Iterator.from(workloads).some((workload) => namesIn(workload).includes(name))
  }

  /** The name of a key in tags. It follows from the secret, so that a list of secrets is all there is to keep. */
  nameOf(secret: string): string {
    return this.#hmac(secret, 'the name of this key').slice(0, KEY_LENGTH)
  }

  #isUnclear(name: string): boolean {
    return !this.#absent.has(name) && !this.#keys.some((key) => key.name === name)
  }

  #verdict(subject: Subject, kind: Tagged, text: string): 'valid' | 'older' | 'wrong' | 'unclear' {
    const [whole, name, mac] = TAG[kind].exec(text) ?? []
    if (whole === undefined || name === undefined || mac === undefined) return 'wrong'
    if (this.#isUnclear(name)) return 'unclear'
    const bare = text.slice(0, -whole.length) + (kind === 'state' ? '}' : '')
    const signer = this.#keys.find((key) => key.name === name && this.#isBy(key, subject, kind, bare, mac))
    if (!signer) return 'wrong'
    // A replica whose clock is ahead may sign by the next key already.
    return this.#signing && this.#keys.indexOf(signer) > this.#keys.indexOf(this.#signing) ? 'older' : 'valid'
  }

  #isBy(key: Key, subject: Subject, kind: Tagged, text: string, mac: string): boolean {
    const tagged = cacheKey(key, subject, kind, mac)
    if (this.#valid.get(tagged) === text) return true
    const isValid = isSame(mac, this.#mac(key, subject, kind, text))
    if (isValid) this.#valid.set(tagged, text)
    return isValid
  }

  #mac({ secret }: Key, subject: Subject, kind: Tagged, text: string): string {
    return this.#hmac(secret, JSON.stringify(over(subject, kind, text))).slice(0, MAC_LENGTH)
  }
}

/** The names of the keys in its tags. */
function namesIn({ annotations }: Pick<Workload, 'annotations'>): string[] {
  return TAGGED.flatMap((kind) => TAG[kind].exec(annotations[kind] ?? '')?.[1] ?? [])
}

function cacheKey({ secret }: Key, subject: Subject, kind: Tagged, mac: string): string {
  return JSON.stringify([secret, mac, ...over(subject, kind, '')])
}

/** In the same time wherever two texts of one length differ. */
function isSame(a: string, b: string): boolean {
  let difference = 0
  for (let at = 0; at < a.length; at++) difference |= a.charCodeAt(at) ^ b.charCodeAt(at)
  return difference === 0
}

/** The parts that a tag signs, as a list, so that no two subjects share a text. */
function over({ kind, namespace, name, uid }: Subject, tagged: Tagged, text: string): readonly string[] {
  return [tagged, kind, namespace, name, uid, text]
}

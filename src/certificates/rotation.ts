import type { Instant } from '../clock.ts'
import type { Lifetimes } from './certificates.ts'
import { issueCa, issueLeaf } from './issue.ts'
import { covers, describe, type Material } from './material.ts'
import type { Names } from './names.ts'

/** One write of the Secret, or none until `lookAgainAt`. */
export type Step =
  | {
      readonly do: 'make-anew' | 'retire-ca' | 'announce-ca' | 'promote-ca' | 'renew-leaf'
      readonly because: string
      /** It replaces what a clock ahead of ours has dated. */
      readonly early?: true
    }
  | { readonly do: 'nothing'; readonly lookAgainAt: Instant }

export interface Situation {
  /** undefined: the Secret holds nothing usable. */
  readonly stored: Material | undefined
  readonly now: Instant
  readonly names: Names
  readonly lifetimes: Lifetimes
  /** When the coming CA was first seen in the API server's configuration; undefined: not yet. */
  readonly publishedAt: Instant | undefined
  /** When this replica last carried out a step that was `early`; undefined: never. */
  readonly repairedAt: Instant | undefined
}

/** How long every API server is given to take note of a new bundle, at most. */
const LONGEST_SETTLING_MS = 30_000
/** What begins later than this from now was dated by a clock that is, or was, ahead of ours. */
const TOLERATED_AHEAD_MS = 3 * 60_000
/** Replicas whose clocks disagree by days undo each other's work: not faster than this. */
const REPAIR_EVERY_MS = 60_000

/**
 * The next step of the rotation. A new CA is announced first; once the API server has been seen to have it,
 * and some time has passed, it signs; the old one is trusted until its last leaf has run out, after which
 * nobody can serve it. Only one CA comes or goes at a time.
 */
export function nextStep({ stored, now, names, lifetimes, publishedAt, repairedAt }: Situation): Step {
  if (!stored) return { do: 'make-anew', because: 'there is nothing usable' }
  const { ca, leaf, next, previous } = stored
  const caLife = describe(ca.cert)
  if (now >= caLife.notAfter) return { do: 'make-anew', because: 'the CA has expired' }
  const repair = repairOf(stored, now)
  if (repair) {
    // A repair that lies ahead is from before our own clock went back.
    const free = repairedAt === undefined || repairedAt > now ? now : repairedAt + REPAIR_EVERY_MS
    if (now < free) return { do: 'nothing', lookAgainAt: free }
    return { do: repair, because: 'it is dated ahead of our clock', early: true }
  }
  if (previous && now >= previous.until) return { do: 'retire-ca', because: 'its last leaf has expired' }

  const instants = [caLife.notAfter, ...(previous ? [previous.until] : [])]
  if (next && now < describe(next.cert).notAfter) {
    const settled = publishedAt === undefined ? Infinity : publishedAt + settling(lifetimes)
    if (!previous && now >= settled) return { do: 'promote-ca', because: 'it is trusted everywhere' }
    instants.push(previous ? Math.max(settled, previous.until) : settled)
  } else {
    const due = renewalOf(caLife, lifetimes)
    if (now >= due) return { do: 'announce-ca', because: 'the CA nears its end' }
    instants.push(due)
  }

  const leafLife = describe(leaf.cert)
  if (now < leafLife.notBefore) instants.push(leafLife.notBefore)
  const missing = names.filter((name) => !covers(leaf.cert, name))
  if (missing.length > 0) return { do: 'renew-leaf', because: `it is not for ${missing.join(', ')}` }
  // A leaf that ends with its CA cannot be renewed before the next CA signs.
  if (leafLife.notAfter < caLife.notAfter) {
    const due = renewalOf(leafLife, lifetimes)
    if (now >= due) return { do: 'renew-leaf', because: 'the certificate nears its end' }
    instants.push(due)
  }
  return { do: 'nothing', lookAgainAt: Math.min(...instants) }
}

/** What the Secret is to hold after the step; `known`: what this replica serves, if it is still good. */
export async function carryOut(
  step: Exclude<Step['do'], 'nothing'>,
  { stored, now, names, lifetimes }: Situation,
  known: Material | undefined,
): Promise<Material> {
  if (step === 'make-anew' || !stored) return anew(now, names, lifetimes, known)
  const { ca, leaf, next } = stored
  switch (step) {
    case 'announce-ca':
      return { ...stored, next: await issueCa(now, lifetimes.ca) }
    case 'promote-ca': {
      if (!next) throw new TypeError('no CA to promote')
      const renewed = await issueLeaf(next, allNames(leaf.cert, names), now, lifetimes.leaf)
      return { ca: next, leaf: renewed, previous: { cert: ca.cert, until: describe(leaf.cert).notAfter } }
    }
    case 'renew-leaf': {
      const missing = names.some((name) => !covers(leaf.cert, name))
      // Replicas of two configurations side by side must not undo each other's names.
      const wanted = missing ? allNames(leaf.cert, names) : names
      return { ...stored, leaf: await issueLeaf(ca, wanted, now, lifetimes.leaf) }
    }
    case 'retire-ca':
      return { ca, leaf, ...(next && { next }) }
  }
}

/**
 * While what this replica serves is good, that stays trusted and served until a wholly new CA has been
 * published: losing the Secret costs no review.
 */
async function anew(
  now: Instant,
  names: Names,
  lifetimes: Lifetimes,
  known: Material | undefined,
): Promise<Material> {
  const ca = await issueCa(now, lifetimes.ca)
  const good = known && now < describe(known.leaf.cert).notAfter && !isAhead(known.ca.cert, now)
  if (good) return { ...known, next: ca }
  return { ca, leaf: await issueLeaf(ca, names, now, lifetimes.leaf) }
}

/** The step that replaces what is dated ahead of our clock. */
function repairOf({ ca, leaf, next }: Material, now: Instant) {
  if (isAhead(ca.cert, now)) return 'make-anew'
  if (isAhead(leaf.cert, now)) return 'renew-leaf'
  return next && isAhead(next.cert, now) ? 'announce-ca' : undefined
}

function isAhead(cert: string, now: Instant): boolean {
  return describe(cert).notBefore > now + TOLERATED_AHEAD_MS
}

function renewalOf(life: { notBefore: Instant; notAfter: Instant }, { renewAt }: Lifetimes): Instant {
  return life.notBefore + (life.notAfter - life.notBefore) * renewAt
}

/** At most a quarter of what is left of a CA's life when the next one is announced. */
function settling({ ca, renewAt }: Lifetimes): number {
  return Math.min(LONGEST_SETTLING_MS, (ca * (1 - renewAt)) / 4)
}

function allNames(leaf: string, names: Names): Names {
  return [...new Set([...names, ...describe(leaf).names])]
}

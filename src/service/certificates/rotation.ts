import type { Instant } from '../../process/clock.ts'
import type { Config } from '../config/config.ts'
import type { Names } from './issue.ts'
import type { CertificateSet } from './secret-data.ts'
import { covers, readCertificate, type Validity } from './x509.ts'

/** When certificates are renewed: lifetimes in milliseconds, `renewAt` as a fraction of a lifetime. */
export type Lifetimes = Pick<Config['webhook']['certificates'], 'leafLifetime' | 'caLifetime' | 'renewAt'>

/** One write of the Secret, or none until `lookAgainAt`. */
type RotationStep =
  | {
      readonly do: 'make-anew' | 'retire-ca' | 'announce-ca' | 'promote-ca' | 'renew-leaf'
      readonly because: string
      /** The step replaces a certificate that a clock ahead of ours has dated. */
      readonly early?: true
    }
  | { readonly do: 'nothing'; readonly lookAgainAt: Instant }

export interface Situation {
  /** undefined: the Secret holds nothing usable. */
  readonly stored: CertificateSet | undefined
  readonly now: Instant
  readonly names: Names
  readonly lifetimes: Lifetimes
  /** When the next CA was first observed in the API server's configuration; undefined: not yet. */
  readonly publishedAt: Instant | undefined
  /** When this replica last took a step that was `early`; undefined: never. */
  readonly repairedAt: Instant | undefined
}

/** Every API server has this long to load a new bundle; less where CAs live shorter. */
const LONGEST_SETTLING_MS = 30_000
/** A certificate that becomes valid later than this from now was dated by a clock ahead of ours. */
const TOLERATED_AHEAD_MS = 3 * 60_000
/** Replicas whose clocks disagree by days replace each other's certificates: not more often than this. */
const REPAIR_EVERY_MS = 60_000

/**
 * The next step of the rotation. A new CA is announced first, and signs once the API server has been observed to have
 * it and some time has passed. The old CA is trusted until its last leaf has expired. Only one CA is added or removed
 * at a time.
 */
export function nextStep({
  stored,
  now,
  names,
  lifetimes,
  publishedAt,
  repairedAt,
}: Situation): RotationStep {
  if (!stored) return { do: 'make-anew', because: 'the Secret holds no usable certificates' }
  const { ca, leaf, next, previous } = stored
  const caLife = readCertificate(ca.cert)
  if (now >= caLife.notAfter) return { do: 'make-anew', because: 'the CA has expired' }
  const repair = repairOf(stored, now)
  if (repair) {
    // Ignore a `repairedAt` in the future: our clock was set back.
    const free = repairedAt === undefined || repairedAt > now ? now : repairedAt + REPAIR_EVERY_MS
    if (now < free) return { do: 'nothing', lookAgainAt: free }
    return { do: repair, because: 'the certificate is dated ahead of our clock', early: true }
  }
  if (previous && now >= previous.until) return { do: 'retire-ca', because: 'its last leaf has expired' }

  const instants = [caLife.notAfter, ...(previous ? [previous.until] : [])]
  if (next && now < readCertificate(next.cert).notAfter) {
    const settled = publishedAt === undefined ? Infinity : publishedAt + settling(lifetimes)
    if (!previous && now >= settled) return { do: 'promote-ca', because: 'every API server trusts it' }
    instants.push(previous ? Math.max(settled, previous.until) : settled)
  } else {
    const due = renewalOf(caLife, lifetimes)
    if (now >= due) return { do: 'announce-ca', because: 'the CA expires soon' }
    instants.push(due)
  }

  const leafLife = readCertificate(leaf.cert)
  if (now < leafLife.notBefore) instants.push(leafLife.notBefore)
  const missing = names.filter((name) => !covers(leaf.cert, name))
  if (missing.length > 0) return { do: 'renew-leaf', because: `the certificate lacks ${missing.join(', ')}` }
  // A leaf that ends with its CA cannot be renewed before the next CA signs.
  if (leafLife.notAfter < caLife.notAfter) {
    const due = renewalOf(leafLife, lifetimes)
    if (now >= due) return { do: 'renew-leaf', because: 'the certificate expires soon' }
    instants.push(due)
  }
  return { do: 'nothing', lookAgainAt: Math.min(...instants) }
}

/** The content of the Secret after the step; `serving`: the certificate that this replica serves. */
export async function certificatesAfter(
  step: Exclude<RotationStep['do'], 'nothing'>,
  { stored, now, names, lifetimes }: Situation,
  serving: CertificateSet | undefined,
): Promise<CertificateSet> {
  if (step === 'make-anew' || !stored) return anew(now, names, lifetimes, serving)
  const { issueCa, issueLeaf } = await issuing()
  const { ca, leaf, next } = stored
  switch (step) {
    case 'announce-ca':
      return { ...stored, next: await issueCa(now, lifetimes.caLifetime) }
    case 'promote-ca': {
      if (!next) throw new TypeError('no CA to promote')
      const renewed = await issueLeaf(next, allNames(leaf.cert, names), now, lifetimes.leafLifetime)
      return {
        ca: next,
        leaf: renewed,
        previous: { cert: ca.cert, until: readCertificate(leaf.cert).notAfter },
      }
    }
    case 'renew-leaf': {
      const missing = names.some((name) => !covers(leaf.cert, name))
      // During a rollout two configurations run side by side: neither may remove the other's names.
      const renewed = missing ? allNames(leaf.cert, names) : names
      return { ...stored, leaf: await issueLeaf(ca, renewed, now, lifetimes.leafLifetime) }
    }
    case 'retire-ca':
      return { ca, leaf, ...(next && { next }) }
  }
}

/**
 * A new CA. While the certificate that this replica serves is valid, it stays served and trusted until the new CA
 * is published: a lost Secret fails no review.
 */
async function anew(
  now: Instant,
  names: Names,
  lifetimes: Lifetimes,
  serving: CertificateSet | undefined,
): Promise<CertificateSet> {
  const { issueCa, issueLeaf } = await issuing()
  const ca = await issueCa(now, lifetimes.caLifetime)
  const good = serving && now < readCertificate(serving.leaf.cert).notAfter && !isAhead(serving.ca.cert, now)
  if (good) return { ...serving, next: ca }
  return { ca, leaf: await issueLeaf(ca, names, now, lifetimes.leafLifetime) }
}

/** Loaded when a certificate is issued, once in weeks: it takes 10 MB and 0.1 s. */
function issuing() {
  return import('./issue.ts')
}

/** The step that replaces a certificate dated ahead of our clock; undefined: there is none. */
function repairOf({ ca, leaf, next }: CertificateSet, now: Instant) {
  if (isAhead(ca.cert, now)) return 'make-anew'
  if (isAhead(leaf.cert, now)) return 'renew-leaf'
  return next && isAhead(next.cert, now) ? 'announce-ca' : undefined
}

function isAhead(cert: string, now: Instant): boolean {
  return readCertificate(cert).notBefore > now + TOLERATED_AHEAD_MS
}

function renewalOf(life: Validity, { renewAt }: Lifetimes): Instant {
  return life.notBefore + (life.notAfter - life.notBefore) * renewAt
}

/** At most a quarter of the lifetime that a CA has left when the next one is announced. */
function settling({ caLifetime, renewAt }: Lifetimes): number {
  return Math.min(LONGEST_SETTLING_MS, (caLifetime * (1 - renewAt)) / 4)
}

function allNames(leaf: string, names: Names): Names {
  return [...new Set([...names, ...readCertificate(leaf).names])]
}

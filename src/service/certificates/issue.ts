// The decorators of @peculiar/x509 need this import first.
import 'reflect-metadata'
import { randomBytes, webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'
import type { Instant } from '../../process/clock.ts'

/** A certificate, perhaps with its chain, and its private key (PKCS #8), PEM. */
export interface KeyPair {
  readonly cert: string
  readonly key: string
}

/** The DNS names and IP addresses that a serving certificate is for. */
export type Names = readonly string[]

const KEY = { name: 'ECDSA', namedCurve: 'P-256' }
const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' }
/** Certificates are backdated for API servers whose clock is behind: by a tenth of their life, and no more than this. */
const LONGEST_BACKDATE_MS = 5 * 60_000

/** A self-signed CA (RFC 5280) that signs leaves only: ECDSA P-256, SHA-256. `lifetime` in milliseconds. */
export async function issueCa(now: Instant, lifetime: number): Promise<KeyPair> {
  const keys = await generateKeys()
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    // One bundle holds several CAs, which need different names.
    name: `CN=dormouse webhook CA ${randomBytes(4).toString('hex')}`,
    ...validity(now, lifetime),
    keys,
    signingAlgorithm: SIGNATURE,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return pairOf(certificate, keys)
}

/** A serving certificate for `names`, signed by `ca`. It expires with `ca` at the latest. `lifetime` in milliseconds. */
export async function issueLeaf(ca: KeyPair, names: Names, now: Instant, lifetime: number): Promise<KeyPair> {
  const keys = await generateKeys()
  const issuer = new X509Certificate(ca.cert)
  const { notBefore, notAfter } = validity(now, lifetime)
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: 'CN=dormouse webhook',
    issuer: issuer.subject,
    notBefore: latest(notBefore, issuer.notBefore),
    notAfter: earliest(notAfter, issuer.notAfter),
    publicKey: keys.publicKey,
    signingKey: await importKey(ca.key),
    signingAlgorithm: SIGNATURE,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) ? 'ip' : 'dns', value })),
      ),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await AuthorityKeyIdentifierExtension.create(issuer),
    ],
  })
  return pairOf(certificate, keys)
}

function generateKeys() {
  return webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify'])
}

function importKey(pem: string) {
  const [der] = PemConverter.decode(pem)
  if (!der) throw new TypeError('no PEM block in the key')
  return webcrypto.subtle.importKey('pkcs8', der, KEY, false, ['sign'])
}

async function pairOf(certificate: X509Certificate, keys: webcrypto.CryptoKeyPair): Promise<KeyPair> {
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
  return { cert: `${certificate.toString('pem')}\n`, key: `${PemConverter.encode(key, 'PRIVATE KEY')}\n` }
}

/** 127 random bits, positive and never with leading zeros (RFC 5280, section 4.1.2.2). */
function serialNumber(): string {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return bytes.toString('hex')
}

/** Whole seconds, as certificates have them. The end is rounded up: the shortest life must not be halved. */
function validity(now: Instant, lifetime: number): { notBefore: Date; notAfter: Date } {
  const backdate = Math.min(LONGEST_BACKDATE_MS, lifetime / 10)
  return {
    notBefore: new Date(Math.floor((now - backdate) / 1000) * 1000),
    notAfter: new Date(Math.ceil((now + lifetime) / 1000) * 1000),
  }
}

function latest(a: Date, b: Date): Date {
  return a > b ? a : b
}

function earliest(a: Date, b: Date): Date {
  return a < b ? a : b
}

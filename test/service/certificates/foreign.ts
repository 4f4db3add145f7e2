import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import { BasicConstraintsExtension, PemConverter, X509CertificateGenerator } from '@peculiar/x509'
import type { KeyPair } from '../../../src/service/certificates/issue.ts'
import type { CertificateSet } from '../../../src/service/certificates/secret-data.ts'

type Algorithm = webcrypto.RsaHashedKeyGenParams | (webcrypto.EcKeyGenParams & { hash: string })

/** Kinds of key that a CA may have, but none of ours. */
export const OTHER_KEYS: readonly (readonly [string, Algorithm])[] = [
  [
    'RSA',
    {
      name: 'RSASSA-PKCS1-v1_5',
      modulusLength: 2048,
      publicExponent: new Uint8Array([1, 0, 1]),
      hash: 'SHA-256',
    },
  ],
  ['ECDSA P-384', { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' }],
]

/** A CA and a leaf as somebody else's tool makes them, valid for an hour. */
export async function foreign(algorithm: Algorithm, now: number): Promise<CertificateSet> {
  const [caKeys, leafKeys] = [await keysOf(algorithm), await keysOf(algorithm)]
  const validity = { notBefore: new Date(now - 60_000), notAfter: new Date(now + 3_600_000) }
  const ca = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=somebody',
    ...validity,
    keys: caKeys,
    signingAlgorithm: algorithm,
    extensions: [new BasicConstraintsExtension(true, 0, true)],
  })
  const leaf = await X509CertificateGenerator.create({
    subject: 'CN=leaf',
    issuer: ca.subject,
    ...validity,
    publicKey: leafKeys.publicKey,
    signingKey: caKeys.privateKey,
    signingAlgorithm: algorithm,
  })
  return {
    ca: { cert: `${ca.toString('pem')}\n`, key: await pemOf(caKeys) },
    leaf: { cert: `${leaf.toString('pem')}\n`, key: await pemOf(leafKeys) },
  }
}

function keysOf(algorithm: Algorithm) {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
}

async function pemOf({ privateKey }: webcrypto.CryptoKeyPair): Promise<KeyPair['key']> {
  return PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', privateKey), 'PRIVATE KEY')
}

import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  PemConverter,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'
import { writeKubeconfig, type Cluster } from './kubeconfig.ts'

const KEY = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const DAY = 24 * 60 * 60 * 1000
const FILES = { cert: 'people.crt', key: 'people.key' } as const

/** Writes the CA of people's certificates into `directory`; returns the path of its certificate. */
export async function writePeoplesCa(directory: string): Promise<string> {
  const keys = await webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=people',
    ...validity(),
    keys,
    signingAlgorithm: KEY,
    extensions: [new BasicConstraintsExtension(true, 0, true)],
  })
  const file = join(directory, FILES.cert)
  await writeFile(file, certificate.toString('pem'))
  await writeFile(join(directory, FILES.key), await pem(keys.privateKey), { mode: 0o600 })
  return file
}

/** Writes the kubeconfig of a person who shows a client certificate; returns its path. */
export async function writePersonKubeconfig(
  directory: string,
  cluster: Cluster,
  name: string,
  groups: readonly string[],
): Promise<string> {
  const issuer = new X509Certificate(await readFile(join(directory, FILES.cert), 'utf8'))
  const [der = new ArrayBuffer()] = PemConverter.decode(await readFile(join(directory, FILES.key), 'utf8'))
  const keys = await webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.create({
    subject: [`CN=${name}`, ...groups.map((group) => `O=${group}`)].join(', '),
    issuer: issuer.subject,
    ...validity(),
    publicKey: keys.publicKey,
    signingKey: await webcrypto.subtle.importKey('pkcs8', der, KEY, false, ['sign']),
    signingAlgorithm: KEY,
    extensions: [new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth])],
  })
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  return writeKubeconfig(join(directory, `person-${name}.kubeconfig`), cluster, name, {
    'client-certificate-data': base64(certificate.toString('pem')),
    'client-key-data': base64(await pem(keys.privateKey)),
  })
}

async function pem(key: webcrypto.CryptoKey): Promise<string> {
  return PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')
}

function validity() {
  return { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + DAY) }
}

import { generateKeyPairSync } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeTokenFile } from './accounts.ts'
import type { Accounts } from './accounts.ts'
import { writeAuditPolicy } from './audit.ts'
import { writePeoplesCa } from './people.ts'
import { whenReady } from './wait.ts'
import type { RunningProgram } from './process.ts'
import { clientFor } from './client.ts'

export interface ApiServerSetup {
  /** Arguments of the API server, the same at each start. */
  readonly args: readonly string[]
  readonly url: string
  /** The file of its certificate, and after it the CA that signed it. */
  readonly certificateFile: string
  readonly auditLog: string
  readonly serviceAccountKey: string
}

/** Writes keys, tokens and policy into `directory`. `audited`: the user whose requests are logged, if any are. */
export async function prepareApiServer(
  directory: string,
  ports: { readonly etcd: number; readonly api: number },
  accounts: Accounts,
  audited: string | undefined,
): Promise<ApiServerSetup> {
  const file = (name: string) => join(directory, name)
  const serviceAccountKey = file('service-accounts.key')
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  await writeFile(serviceAccountKey, privateKey, { mode: 0o600 })
  const tokens = await writeTokenFile(file('tokens.csv'), accounts)
  const certificates = file('certificates')
  const auditLog = file('audit.log')
  const auditing =
    audited === undefined
      ? []
      : [
          `--audit-policy-file=${await writeAuditPolicy(file('audit-policy.json'), audited)}`,
          `--audit-log-path=${auditLog}`,
        ]
  const args = [
    `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    // The reconciler of the `kubernetes` Service refuses a loopback address.
    '--endpoint-reconciler-type=none',
    `--secure-port=${ports.api}`,
    `--cert-dir=${certificates}`,
    `--token-auth-file=${tokens}`,
    `--client-ca-file=${await writePeoplesCa(directory)}`,
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.96.0.0/16',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-signing-key-file=${serviceAccountKey}`,
    `--service-account-key-file=${serviceAccountKey}`,
    ...auditing,
    '--max-requests-inflight=1200',
    '--max-mutating-requests-inflight=600',
  ]
  return {
    args,
    url: `https://127.0.0.1:${ports.api}`,
    certificateFile: join(certificates, 'apiserver.crt'),
    auditLog,
    serviceAccountKey,
  }
}

/** Resolves once the API server is ready, with the CA (PEM) of its certificate. */
export async function apiServerReady(
  setup: ApiServerSetup,
  program: RunningProgram,
  token: string,
): Promise<string> {
  return whenReady(program, `/readyz of ${setup.url}`, async () => {
    const caData = await readFile(setup.certificateFile, 'utf8').catch(() => '')
    if (!caData) return undefined
    const client = clientFor({ url: setup.url, caData }, token)
    try {
      const { status } = await client.send('GET', '/readyz')
      return status === 200 && caData
    } catch {
      return undefined
    } finally {
      await client.close()
    }
  })
}

import { readFile, writeFile } from 'node:fs/promises'

/** An entry of the audit log. */
export interface AuditEvent {
  readonly verb: string
  readonly requestURI: string
  readonly userAgent?: string
  readonly user: { readonly username: string }
  readonly objectRef?: {
    readonly resource?: string
    readonly subresource?: string
    readonly namespace?: string
    readonly name?: string
  }
  readonly responseStatus?: { readonly code?: number }
  readonly requestReceivedTimestamp: string
  readonly stage: string
}

/** Writes the audit policy: requests of Dormouse's account, without bodies, and no others. */
export async function writeAuditPolicy(file: string, username: string): Promise<string> {
  const policy = {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived'],
    rules: [{ level: 'Metadata', users: [username] }, { level: 'None' }],
  }
  await writeFile(file, JSON.stringify(policy))
  return file
}

const RECEIVED = /"requestReceivedTimestamp":"([^"]+)/

/**
 * The entries of requests since then, oldest first; others are not parsed, of which a long run has many. A watch has
 * one when it starts (`ResponseStarted`) and one when it ends.
 */
export async function readAuditLog(file: string, since = 0): Promise<AuditEvent[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  // Theirs are in microseconds.
  const earliest = new Date(since).toISOString().replace('Z', '')
  return whole
    .split('\n')
    .filter((line) => (RECEIVED.exec(line)?.[1] ?? '') >= earliest)
    .map((line) => JSON.parse(line) as AuditEvent)
}

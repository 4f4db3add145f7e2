import { readFile, writeFile } from 'node:fs/promises'

/** The audit log's account of one request. */
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

/** Writes the policy: what Dormouse's account asks is recorded without bodies, nobody else is. */
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

/** Everything recorded so far, oldest first. A watch shows when it starts (`ResponseStarted`) and when it ends. */
export async function readAuditLog(file: string): Promise<AuditEvent[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  return whole
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AuditEvent)
}

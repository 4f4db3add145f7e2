import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'

/** A user that the API server knows by a static token. */
export interface Account {
  readonly name: string
  readonly groups: readonly string[]
  readonly token: string
}

/**
 * The tests are `test-admin`. The controllers' processes have the usernames that a real cluster gives them;
 * each controller then acts under a service account of its own.
 */
export function newAccounts() {
  return {
    admin: account('test-admin', 'system:masters'),
    kwok: account('kwok', 'system:masters'),
    controllerManager: account('system:kube-controller-manager'),
    scheduler: account('system:kube-scheduler'),
  }
}

export type Accounts = ReturnType<typeof newAccounts>

function account(name: string, ...groups: string[]): Account {
  return { name, groups, token: randomBytes(24).toString('base64url') }
}

/** Writes the CSV that `--token-auth-file` reads: token, user, uid, groups. */
export async function writeTokenFile(file: string, accounts: Accounts): Promise<string> {
  const lines = Object.values(accounts).map(
    ({ token, name, groups }) => `${token},${name},${name},"${groups.join(',')}"`,
  )
  await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o600 })
  return file
}

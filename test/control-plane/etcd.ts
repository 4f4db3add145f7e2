import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { request } from 'undici'
import type { RunningProgram } from './process.ts'
import { whenReady } from './wait.ts'

/** One member on loopback, without fsync: its data need not survive a crash of the machine. */
export function etcdArgs(dataDirectory: string, clientPort: number, peerPort: number): string[] {
  const client = `http://127.0.0.1:${clientPort}`
  const peer = `http://127.0.0.1:${peerPort}`
  return [
    '--name=control-plane',
    `--data-dir=${dataDirectory}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=control-plane=${peer}`,
    '--unsafe-no-fsync',
    '--log-level=warn',
  ]
}

export async function etcdReady(etcd: RunningProgram, clientPort: number): Promise<void> {
  const url = `http://127.0.0.1:${clientPort}/readyz`
  await whenReady(etcd, url, async () => {
    const answer = await request(url).catch(() => undefined)
    await answer?.body.dump()
    return answer?.statusCode === 200
  })
}

/** How `etcdutl snapshot restore` is asked for a data folder. */
export interface Restore {
  /** The path of `etcdutl`. */
  readonly etcdutl: string
  /** Adds so many revisions and marks all before them as compacted, as the documentation of Kubernetes advises. */
  readonly bump?: number
}

/** Writes a backup of all that etcd stores, as `etcdctl snapshot save` does. */
export async function saveBackup(clientPort: number, file: string): Promise<void> {
  const url = `http://127.0.0.1:${clientPort}/v3/maintenance/snapshot`
  const { body } = await request(url, { method: 'POST', body: '{}' })
  const parts = (await body.text()).split('\n').filter((line) => line !== '')
  const blobs = parts.map((line) => (JSON.parse(line) as { result: { blob?: string } }).result.blob ?? '')
  await writeFile(file, Buffer.concat(blobs.map((blob) => Buffer.from(blob, 'base64'))))
}

/** Makes a data folder of a backup, for the one member of `etcdArgs`. */
export async function restoreBackup(
  backup: string,
  dataDirectory: string,
  peerPort: number,
  { etcdutl, bump }: Restore,
): Promise<void> {
  const peer = `http://127.0.0.1:${peerPort}`
  await promisify(execFile)(etcdutl, [
    'snapshot',
    'restore',
    backup,
    `--data-dir=${dataDirectory}`,
    '--name=control-plane',
    `--initial-cluster=control-plane=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    ...(bump === undefined ? [] : [`--bump-revision=${bump}`, '--mark-compacted']),
  ])
}

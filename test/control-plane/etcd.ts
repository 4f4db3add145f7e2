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

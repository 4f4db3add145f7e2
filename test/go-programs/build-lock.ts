import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Runs `work` while no other process of this machine runs one under the same `path`. The lock is a file with
 * its owner's pid; one whose owner is gone is taken over.
 */
export async function withLock<T>(
  path: string,
  say: (line: string) => void,
  work: () => Promise<T>,
): Promise<T> {
  await mkdir(dirname(path), { recursive: true })
  let told = false
  while (!(await acquired(path))) {
    const owner = Number(await readFile(path, 'utf8').catch(() => ''))
    if (owner > 0 && !isAlive(owner)) {
      await rm(path, { force: true })
      continue
    }
    if (!told) say(`another run (pid ${owner}) is building the same programs: waiting for it`)
    told = true
    await sleep(1000)
  }
  try {
    return await work()
  } finally {
    await rm(path, { force: true })
  }
}

async function acquired(path: string): Promise<boolean> {
  try {
    await writeFile(path, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

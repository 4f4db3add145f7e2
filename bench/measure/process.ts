import { readFile, writeFile } from 'node:fs/promises'

/** In `/proc` USER_HZ is 100 on every Linux that Node runs on (proc(5)). */
const MS_A_TICK = 10

/** Milliseconds of processor time that a process has used since its start, with a resolution of 10. */
export async function cpuOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return (Number(user) + Number(system)) * MS_A_TICK
}

/** MB (of 1,000,000 bytes) in memory: now, and at the most since its start or `resetPeak`. */
export async function memoryOf(pid: number): Promise<{ now: number; peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const megabytes = (field: string) =>
    (Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) * 1024) / 1e6
  return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') }
}

/** Resets the peak (proc(5), `clear_refs`). If the kernel refuses, the peak is that since the start. */
export async function resetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => {})
}

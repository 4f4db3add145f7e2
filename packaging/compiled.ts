import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const SANDBOX = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const COMPILING = fileURLToPath(new URL('compiling.ts', import.meta.url))
const WORKLOAD = 'deploy/storefront'
const ANY_PORTS = ['kube', 'api', 'metrics', 'webhook'].flatMap((name) => [`--${name}-port`, '0'])
/** The commands run for compiling: requests need little code, and loading all would take longer. */
const RUNS = { asking: ['wake'], showing: ['list', 'why'] } as const

/** The compiled code, by the kind of commands. */
export type Compiled = Readonly<Record<keyof typeof RUNS, string>>

/**
 * Writes V8's compiled code of the client after it ran commands in the sandbox (`cachedData` of `vm.Script`): compiling
 * takes a quarter of a command's time. Valid only for this text and this Node.
 */
export async function compiledBy(node: string, client: string): Promise<Compiled> {
  // Settings of the one who builds are none of the sandbox.
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('DORMOUSE_'))
  const bare = Object.fromEntries(own)
  const sandbox = spawn(node, [SANDBOX, 'sandbox', '--json', ...ANY_PORTS], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: bare,
  })
  const ended = once(sandbox, 'exit')
  try {
    const lines = createInterface(sandbox.stdout)
    const [line] = (await Promise.race([once(lines, 'line'), ended.then(() => ['{}'])])) as [string]
    const { kubeconfig } = JSON.parse(line) as { kubeconfig?: string }
    if (kubeconfig === undefined) throw new Error('the sandbox did not start: nothing can be compiled by it')
    const env = { ...bare, KUBECONFIG: kubeconfig }
    const runs = (to: string, ...command: string[]) =>
      run(node, [COMPILING, client, to, ...command, '-n', 'shop'], { env })
    await runs('', 'enable', WORKLOAD)
    const files = { asking: `${client}.asking`, showing: `${client}.showing` }
    for (const [name, commands] of Object.entries(RUNS))
      for (const command of commands)
        await runs(files[name as keyof Compiled], command, ...(command === 'list' ? [] : [WORKLOAD]))
    return files
  } finally {
    sandbox.kill()
    await ended
  }
}

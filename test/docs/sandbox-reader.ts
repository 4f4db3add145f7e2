import { once } from 'node:events'
import type { ChildProcess } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProgram } from '../support/dormouse.ts'
import { eventually } from '../support/eventually.ts'
import { runProgram } from '../support/kubectl.ts'
import { Shell } from './shell.ts'

/** Somebody who started the sandbox and pasted its exports, as the quick start says. */
export class SandboxReader {
  readonly #child: ChildProcess
  readonly #pasted: string

  private constructor(child: ChildProcess, pasted: string) {
    this.#child = child
    this.#pasted = pasted
  }

  static async start(): Promise<SandboxReader> {
    const ports = ['--api-port', '--kube-port', '--metrics-port', '--webhook-port'].flatMap((port) => [
      port,
      '0',
    ])
    const directory = await mkdtemp(join(tmpdir(), 'dormouse-docs-sandbox-'))
    const config = join(directory, 'config.yaml')
    await writeFile(config, 'controller: { lease: { duration: 3s, renew: 2s, retry: 500ms } }\n')
    const child = startProgram(['sandbox', '--config', config, ...ports])
    let printed = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (printed += text))
    await eventually('the sandbox to print what to paste', () => printed.includes('-w\n'))
    const lines = printed.split('\n').filter((line) => /^ {2}(export|dormouse\(\)) ?/.test(line))
    await rm(directory, { recursive: true })
    return new SandboxReader(child, lines.join('\n'))
  }

  /** A terminal for a page, with `web` in the namespace `shop` as every page expects it: three replicas, untouched. */
  async terminal(): Promise<Shell> {
    const kubeconfig = /KUBECONFIG=(\S+)/.exec(this.#pasted)?.[1] ?? ''
    const kubectl = (...args: string[]) =>
      runProgram('kubectl', ['--kubeconfig', kubeconfig, '-n', 'shop', ...args])
    await kubectl('delete', 'deployment', 'web', '--ignore-not-found')
    const { code, stderr } = await kubectl(
      'create',
      'deployment',
      'web',
      '--image=example/web:1',
      '--replicas=3',
    )
    if (code !== 0) throw new Error(`the deployment web could not be created: ${stderr}`)
    const shell = await Shell.start(kubeconfig, {
      DORMOUSE_API_INSECURE_PORT: '0',
      DORMOUSE_METRICS_PORT: '0',
      // Short, so that `dormouse release` soon has the Lease.
      DORMOUSE_CONTROLLER_LEASE_DURATION: '3s',
      DORMOUSE_CONTROLLER_LEASE_RENEW: '2s',
      DORMOUSE_CONTROLLER_LEASE_RETRY: '500ms',
    })
    await shell.run(this.#pasted)
    return shell
  }

  run(script: string, terminal: Shell, expected: 'success' | 'failure') {
    return terminal.run(script, expected)
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    await exited
  }
}

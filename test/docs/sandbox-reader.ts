import { once } from 'node:events'
import type { ChildProcess } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProgram } from '../support/dormouse.ts'
import { eventually } from '../support/eventually.ts'
import { Shell } from './shell.ts'

const PORTS = ['--api-port', '--kube-port', '--metrics-port', '--webhook-port']

/** Somebody who starts the sandbox and pastes its exports, as the quick start says; anew for each page. */
export class SandboxReader {
  #child: ChildProcess | undefined

  /** A terminal for a page, over a sandbox that no other page has touched: what it speaks of is in the seed. */
  async terminal(): Promise<Shell> {
    await this.stop()
    const pasted = await this.#start()
    const kubeconfig = /KUBECONFIG=(\S+)/.exec(pasted)?.[1] ?? ''
    const shell = await Shell.start(kubeconfig, {
      DORMOUSE_API_INSECURE_PORT: '0',
      DORMOUSE_METRICS_PORT: '0',
      // Short, so that `dormouse release` soon has the Lease.
      DORMOUSE_CONTROLLER_LEASE_DURATION: '3s',
      DORMOUSE_CONTROLLER_LEASE_RENEW: '2s',
      DORMOUSE_CONTROLLER_LEASE_RETRY: '500ms',
    })
    await shell.run(pasted)
    return shell
  }

  /** What it prints to be pasted. */
  async #start(): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), 'dormouse-docs-sandbox-'))
    const config = join(directory, 'config.yaml')
    await writeFile(config, 'controller: { lease: { duration: 3s, renew: 2s, retry: 500ms } }\n')
    const child = startProgram(['sandbox', '--config', config, ...PORTS.flatMap((port) => [port, '0'])])
    this.#child = child
    let printed = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (printed += text))
    await eventually('the sandbox to print what to paste', () => printed.endsWith('docs/quick-start.md\n'))
    await rm(directory, { recursive: true })
    return printed
      .split('\n')
      .filter((line) => /^ {2}(export|dm\(\)) ?/.test(line))
      .join('\n')
  }

  run(script: string, terminal: Shell, expected: 'success' | 'failure') {
    return terminal.run(script, expected)
  }

  /** Ends the sandbox, if one runs. */
  async stop(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (!child || child.exitCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    await exited
  }
}

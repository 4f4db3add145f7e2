import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProgram } from '../support/dormouse.ts'
import { eventually } from '../support/eventually.ts'
import { RunningProgram } from '../support/running-program.ts'
import { Shell } from './shell.ts'

const PORTS = ['--api-port', '--kube-port', '--metrics-port', '--webhook-port']

/** A reader who starts a sandbox for each page and pastes its exports, as the quick start says. */
export class SandboxReader {
  #sandbox: RunningProgram | undefined

  /** A terminal for a page, with a new sandbox; the pages use the workloads of its seed. */
  async terminal(): Promise<Shell> {
    await this.stop()
    const pasted = await this.#start()
    const kubeconfig = /KUBECONFIG="(.+)"/.exec(pasted)?.[1] ?? ''
    const env = {
      DORMOUSE_API_INSECURE_PORT: '0',
      DORMOUSE_METRICS_PORT: '0',
      // Short, so that `dormouse release` soon has the Lease.
      DORMOUSE_CONTROLLER_LEASE_DURATION: '3s',
      DORMOUSE_CONTROLLER_LEASE_RENEW: '2s',
      DORMOUSE_CONTROLLER_LEASE_RETRY: '500ms',
    }
    // The sandbox's own exports bring `kubectl dormouse`.
    const shell = await Shell.start(kubeconfig, env, false)
    await shell.run(pasted)
    return shell
  }

  /** Starts a sandbox; returns the lines that it prints to be pasted. */
  async #start(): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), 'dormouse-docs-sandbox-'))
    const config = join(directory, 'config.yaml')
    await writeFile(config, 'controller: { lease: { duration: 3s, renew: 2s, retry: 500ms } }\n')
    const ports = PORTS.flatMap((port) => [port, '0'])
    this.#sandbox = new RunningProgram(startProgram(['sandbox', '--config', config, ...ports]))
    const { output } = this.#sandbox
    await eventually('the sandbox to print what to paste', () =>
      output.at(-1)?.endsWith('docs/quick-start.md'),
    )
    await rm(directory, { recursive: true })
    return output.filter((line) => /^ {2}(export|dm\(\)) ?/.test(line)).join('\n')
  }

  run(script: string, terminal: Shell, expected: 'success' | 'failure') {
    return terminal.run(script, expected)
  }

  /** Ends the sandbox, if one runs. */
  async stop(): Promise<void> {
    await this.#sandbox?.end('SIGTERM')
    this.#sandbox = undefined
  }
}

import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { ControlPlane } from '../control-plane/control-plane.ts'
import { freePorts } from '../control-plane/ports.ts'
import { MAIN, PROJECT, programEnvironment, startProgram } from '../support/dormouse.ts'
import { eventually } from '../support/eventually.ts'
import { kubectlFor, runProgram, type Kubectl } from '../support/kubectl.ts'
import { RunningProgram } from '../support/running-program.ts'
import { replaced, type Instead } from './commands.ts'
import { Shell } from './shell.ts'

const NAMESPACE = 'dormouse'
const EVERY_NODE = ['--selector', 'kubernetes.io/os=linux']
const RELEASE_JOB = 'job-name=dormouse-release'

/**
 * A reader with Helm and a cluster. Pods are only objects there and no container runs, so the program that the
 * chart installs runs beside the cluster: under its account, with its configuration.
 */
export class HelmReader {
  readonly #plane: ControlPlane
  readonly #helm: string
  readonly #kubectl: Kubectl
  readonly #port: number
  readonly #webhookPort: number
  readonly #otherwise = new Set<string>()
  #beside: RunningProgram | undefined

  private constructor(plane: ControlPlane, helm: string, [port, webhookPort]: readonly [number, number]) {
    this.#plane = plane
    this.#helm = helm
    this.#port = port
    this.#webhookPort = webhookPort
    this.#kubectl = kubectlFor(plane.adminKubeconfig, join(plane.directory, 'kubectl-cache'))
  }

  /** `helm`: the path of the program. */
  static async start(plane: ControlPlane, helm: string): Promise<HelmReader> {
    return new HelmReader(plane, helm, await freePorts(2))
  }

  /** Replacements for addresses that only a Service would reach. */
  get #instead(): readonly Instead[] {
    const why = 'no container runs there: what the chart installs runs beside, at a port of its own'
    const url = `https://127.0.0.1:${this.#port}`
    return [
      {
        typed: /^helm install .*$/gm,
        run: `$& --set config.webhook.url=https://127.0.0.1:${this.#webhookPort}`,
        why,
      },
      { typed: /^kubectl port-forward .*$/gm, run: ':', why },
      { typed: /https:\/\/dormouse\.dormouse\.svc\//g, run: `${url}/`, why },
    ]
  }

  /** The commands that were replaced, and why. */
  get otherwise(): string[] {
    return [...this.#otherwise]
  }

  async terminal(): Promise<Shell> {
    const bin = join(this.#plane.directory, 'bin')
    await runProgram('mkdir', ['-p', bin])
    await symlink(this.#helm, join(bin, 'helm')).catch(() => {})
    const shell = await Shell.start(this.#plane.adminKubeconfig)
    await shell.run(`export PATH=${bin}:$PATH`)
    return shell
  }

  /** Runs a block's script. After an install the program is started; during an uninstall its release job is run. */
  async run(typed: string, terminal: Shell, expected: 'success' | 'failure') {
    const { script, instead } = replaced(typed, this.#instead)
    for (const why of instead) this.#otherwise.add(`run otherwise: ${typed.split('\n')[0]}: ${why}`)
    const uninstalls = /^helm uninstall\b/m.test(script)
    // Otherwise kwok would complete the Job's pod before it has done anything.
    if (uninstalls) await this.#kubectl('cordon', ...EVERY_NODE)
    const outcome = terminal.run(script, expected)
    if (uninstalls) {
      await Promise.all([outcome, this.#release()])
      await this.#kubectl('uncordon', ...EVERY_NODE)
      await this.#endBeside()
    }
    const done = await outcome
    if (/^helm install\b/m.test(script) && done.code === 0) await this.#runBeside()
    return done
  }

  async #runBeside(): Promise<void> {
    const file = await this.#configuration()
    const account = await this.#plane.serviceAccountKubeconfig(NAMESPACE, 'dormouse')
    const args = ['serve', '--config', file, '--kubeconfig', account, '--json', '--metrics-port', '0']
    this.#beside = new RunningProgram(startProgram(args))
    await this.#beside.ready()
  }

  /** The chart's configuration, with other addresses and a short Lease. */
  async #configuration(): Promise<string> {
    const text = await this.#kubectl(
      'get',
      'configmap',
      'dormouse',
      '-n',
      NAMESPACE,
      '-o',
      String.raw`jsonpath={.data.config\.yaml}`,
    )
    const config = parse(text) as { controller: { lease: object }; webhook: object }
    const settled = {
      ...config,
      api: { host: '127.0.0.1', port: this.#port },
      webhook: { ...config.webhook, port: this.#webhookPort },
      controller: { lease: { ...config.controller.lease, duration: '3s', renew: '2s', retry: '500ms' } },
    }
    const file = join(this.#plane.directory, 'chart-config.yaml')
    await writeFile(file, JSON.stringify(settled))
    return file
  }

  /** Runs the command of the chart's Job. */
  async #release(): Promise<void> {
    const pod = await eventually(
      'the pod of the Job before uninstalling',
      async () =>
        (await this.#kubectl('get', 'pods', '-n', NAMESPACE, '-l', RELEASE_JOB, '-o', 'name')).trim() ||
        undefined,
    )
    const account = await this.#plane.serviceAccountKubeconfig(NAMESPACE, 'dormouse')
    const args = ['release', '--all', '--config', await this.#configuration(), '--kubeconfig', account]
    const { code, stderr } = await runProgram(process.execPath, [MAIN, ...args], {
      env: programEnvironment(),
      cwd: PROJECT,
    })
    const phase = code === 0 ? 'Succeeded' : 'Failed'
    const status = JSON.stringify({ status: { phase } })
    await this.#kubectl('patch', pod, '-n', NAMESPACE, '--subresource=status', '--type=merge', '-p', status)
    if (code !== 0) throw new Error(`dormouse release ended with ${code}: ${stderr}`)
  }

  async #endBeside(): Promise<void> {
    await this.#beside?.end('SIGKILL')
    this.#beside = undefined
  }

  async stop(): Promise<void> {
    await this.#endBeside()
    await this.#plane.stop()
  }
}

import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { beside, type Beside, type Pod } from '../chart/beside.ts'
import { DOCUMENTED } from '../chart/helm.ts'
import type { ControlPlane } from '../control-plane/control-plane.ts'
import { freePorts } from '../control-plane/ports.ts'
import { eventually } from '../support/eventually.ts'
import { kubectlFor, runProgram, type Kubectl } from '../support/kubectl.ts'
import { replaced, type Instead } from './commands.ts'
import { Shell } from './shell.ts'

const { namespace: NAMESPACE } = DOCUMENTED
const EVERY_NODE = ['--selector', 'kubernetes.io/os=linux']
const RELEASE_JOB = 'app.kubernetes.io/component=release'

type Running = { readonly ports: { readonly api: number; readonly webhook: number }; readonly beside: Beside }

/**
 * A reader with Helm and a cluster. Pods are only objects there and no container runs, so the program that the
 * chart installs runs beside the cluster: under its account, with its configuration.
 */
export class HelmReader {
  readonly #plane: ControlPlane
  readonly #helm: string
  readonly #kubectl: Kubectl
  readonly #ports: { readonly api: number; readonly webhook: number }
  readonly #beside: Beside
  readonly #otherwise = new Set<string>()

  private constructor(plane: ControlPlane, helm: string, kubectl: Kubectl, { ports, beside }: Running) {
    this.#plane = plane
    this.#helm = helm
    this.#kubectl = kubectl
    this.#ports = ports
    this.#beside = beside
  }

  /** `helm`: the path of the program. */
  static async start(plane: ControlPlane, helm: string): Promise<HelmReader> {
    const { adminKubeconfig, directory } = plane
    const kubectl = kubectlFor(adminKubeconfig, join(directory, 'kubectl-cache'))
    const [api, webhook] = await freePorts(2)
    const running = await beside(() => ({ kubectl, adminKubeconfig }), DOCUMENTED)
    return new HelmReader(plane, helm, kubectl, { ports: { api, webhook }, beside: running })
  }

  /** Replacements for addresses that only a Service would reach. */
  get #instead(): readonly Instead[] {
    const why = 'no container runs there: what the chart installs runs beside, at a port of its own'
    const url = `https://127.0.0.1:${this.#ports.api}`
    return [
      {
        typed: /^helm install .*$/gm,
        run: `$& --set config.webhook.url=https://127.0.0.1:${this.#ports.webhook}`,
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
      await this.#beside.stop()
    }
    const done = await outcome
    if (/^helm install\b/m.test(script) && done.code === 0) await this.#beside.start(this.#ports)
    return done
  }

  /** Runs the command of the chart's Job. */
  async #release(): Promise<void> {
    const selected = ['-n', NAMESPACE, '-l', RELEASE_JOB]
    const { metadata, spec } = await eventually('the pod of the Job before uninstalling', async () => {
      const { items } = await this.#kubectl.json<{ items: Pod[] }>('get', 'pods', ...selected)
      return items[0]
    })
    const { code, stderr } = await this.#beside.run(spec)
    const phase = code === 0 ? 'Succeeded' : 'Failed'
    const status = JSON.stringify({ status: { phase } })
    const how = ['--subresource=status', '--type=merge', '-p', status]
    await this.#kubectl('patch', 'pod', metadata.name, '-n', NAMESPACE, ...how)
    if (code !== 0) throw new Error(`dormouse release ended with ${code}: ${stderr}`)
  }

  async stop(): Promise<void> {
    await this.#beside.remove()
    await this.#plane.stop()
  }
}

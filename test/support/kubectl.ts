import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { Need } from '../suite/need.ts'
import { onPath } from '../suite/on-path.ts'
import { programEnvironment } from './program-environment.ts'

export interface KubectlResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Kubectl {
  /** Returns standard output. @throws Error with its message if it fails */
  (...args: string[]): Promise<string>
  /** Returns any exit code; `input`: standard input. */
  attempt(args: readonly string[], input?: string, env?: NodeJS.ProcessEnv): Promise<KubectlResult>
  /** The output of `-o json`, parsed. */
  json<T = KubectlObject>(...args: string[]): Promise<T>
  /** `kubectl <verb> -f -` with objects, whatever its exit code. */
  withFile(verb: string, objects: object | readonly object[], ...args: string[]): Promise<KubectlResult>
}

/** The parts of a workload that the tests read. */
export interface KubectlObject {
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace: string
    readonly uid: string
    readonly resourceVersion: string
    readonly generation: number
    readonly creationTimestamp: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
    readonly ownerReferences?: readonly object[]
    readonly managedFields?: readonly {
      readonly manager?: string
      readonly subresource?: string
      readonly fieldsV1?: { readonly 'f:spec'?: Readonly<Record<string, unknown>> }
    }[]
  }
  readonly spec: {
    readonly replicas?: number
    readonly suspend?: boolean
    /** CronJobs have none. */
    readonly template?: { readonly spec: { readonly nodeSelector?: Readonly<Record<string, string>> } }
  }
  readonly status?: {
    readonly observedGeneration?: number
    readonly currentNumberScheduled?: number
    readonly replicas?: number
    readonly readyReplicas?: number
    readonly desiredNumberScheduled?: number
    readonly numberReady?: number
    readonly lastScheduleTime?: string
  }
}

/** The person's, unless it is too old for what tests ask of it. */
export const kubectl: Need<string> = {
  phrase: 'with kubectl',
  quick: true,
  gotten: 'kubectl 1.30 or newer on the path',
  find: () => onPath('kubectl', ['version', '--client'], /Version: v1\.[3-9]\d\./),
}

/** By which tests paste what a person would. */
export const bash: Need<string> = {
  phrase: 'with bash',
  quick: true,
  gotten: 'bash on the path',
  find: () => onPath('bash', ['--version']),
}

/** kubectl with this kubeconfig, and with caches of its own. */
export function kubectlFor(kubeconfig: string, cacheDirectory: string): Kubectl {
  const own = [`--kubeconfig=${kubeconfig}`, `--cache-dir=${cacheDirectory}`]
  const attempt: Kubectl['attempt'] = (args, input = '', env = {}) =>
    runProgram('kubectl', [...own, ...args], { input, env: { ...programEnvironment(), ...env } })
  const kubectl = async (...args: string[]) => {
    const { code, stdout, stderr } = await attempt(args)
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${code}: ${stderr || stdout}`)
    return stdout
  }
  return Object.assign(kubectl, {
    attempt,
    json: async <T>(...args: string[]) => JSON.parse(await kubectl(...args, '-o', 'json')) as T,
    withFile: (verb: string, objects: object | readonly object[], ...args: string[]) => {
      const items = Array.isArray(objects) ? objects : [objects]
      const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
      return attempt([verb, ...args, '-f', '-'], list)
    },
  })
}

/** Runs a program to its end. */
export async function runProgram(
  program: string,
  args: readonly string[],
  {
    input = '',
    env = programEnvironment(),
    cwd,
  }: { input?: string; env?: NodeJS.ProcessEnv; cwd?: string } = {},
): Promise<KubectlResult> {
  const child = spawn(program, args, { env, ...(cwd === undefined ? {} : { cwd }) })
  const closed = once(child, 'close') as Promise<[number | null]>
  // If it ends before it has read its input, its exit code shows the failure.
  child.stdin.on('error', () => {}).end(input)
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), closed])
  return { code, stdout, stderr }
}

import type { WorkloadKey } from '../../domain/workload/workload.ts'
import { isKind } from '../../domain/kinds.ts'
import { targetText } from '../kinds.ts'

/** How commands are written that people can paste: with the options that lead to the same place. */
export interface Advice {
  /** `kubectl dormouse` */
  readonly program: string
  /** ` --context dev`, or nothing. */
  readonly options: string
  /** Where commands act that name no namespace. */
  readonly defaultNamespace: string
}

/** `kubectl dormouse wake deploy/web -n shop --for 4h`. */
export function command(
  { program, options, defaultNamespace }: Advice,
  verb: string,
  key: WorkloadKey,
  rest = '',
): string {
  const namespace = key.namespace === defaultNamespace ? '' : ` -n ${key.namespace}`
  return `${program} ${verb} ${targetText(key)}${namespace}${options}${rest === '' ? '' : ` ${rest}`}`
}

/** What the service says in calls of its API, said in commands. */
export function withCommands(text: string, advice: Advice): string {
  const calls =
    /(POST|DELETE|PUT) \/api\/v1\/namespaces\/([^/\s]+)\/([^/\s]+)\/([^/\s]+)\/(snooze|wake|pin|override|enable|disable|schedule)\b/g
  return text
    .replaceAll(
      calls,
      (call, method: string, namespace: string, kind: string, name: string, action: string) => {
        const verb = method === 'DELETE' ? UNDONE_BY[action] : action
        if (verb === undefined || !isKind(kind)) return call
        return command(advice, verb, { kind, namespace, name })
      },
    )
    .replaceAll(/\?for=(\d+[hm])/g, '--for $1')
    .replaceAll(/\?(force|inherit)=true/g, '--$1')
    .replace('POST to its /enable repairs it', 'the command enable repairs it')
}

const UNDONE_BY: Readonly<Record<string, string>> = { pin: 'unpin', override: 'resume' }

import { OPERATIONS } from '../../domain/requests/operations.ts'
import { withRemedy, type Explanation } from '../../domain/workload/explanation.ts'
import type { WorkloadKey } from '../../domain/workload/workload.ts'
import { targetText } from '../kinds.ts'

/** Makes commands that people can paste, with the options that lead to the same cluster or server. */
export interface Advice {
  /** `kubectl dormouse` */
  readonly program: string
  /** ` --context dev`, or nothing. */
  readonly options: string
  /** The namespace of commands that name none. */
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

/** A reason or a refusal with its remedy as a command; a remedy that this program does not know is left out. */
export function advised(why: Explanation, key: WorkloadKey, advice: Advice): string {
  return withRemedy(why, ({ action, query }) => {
    if (!Object.hasOwn(OPERATIONS, action)) return undefined
    const options = Object.entries(query).map(([name, value]) =>
      value === 'true' ? `--${name}` : `--${name} ${value}`,
    )
    return command(advice, OPERATIONS[action].command, key, options.join(' '))
  })
}

import type { Command } from 'commander'
import type { StatusRecord } from '../../domain/records/record.ts'
import { counted } from '../../domain/text.ts'
import { UsageError } from '../../process/errors.ts'
import type { Dormouse, Found } from '../ports.ts'
import { findTargets, type Targets } from '../targets.ts'
import type { Terminal } from '../terminal.ts'
import { isBroken, isUnknown } from '../../words/state.ts'
import { keyOfFound } from '../text/why.ts'
import { checkedSelector } from './list.ts'

export interface ManyOptions {
  readonly all?: true
  readonly allNamespaces?: true
  readonly selector?: string
  readonly yes?: true
}

/** The options by which a command acts on many workloads at once; `unmanaged`: it means those that are not managed, too. */
export function manyOptions(command: Command, unmanaged = false): Command {
  const which = unmanaged ? ', managed or not' : ' that Dormouse manages'
  return command
    .option('--all', `all workloads of the namespace${which}; asks first`)
    .option('-A, --all-namespaces', 'with --all or -l: of all namespaces')
    .option('-l, --selector <labels>', 'all with these labels, as in app=web,tier!=infra; asks first')
    .option('-y, --yes', 'do not ask')
}

/**
 * The workloads that the command concerns, after the person has confirmed those that were not named one by one;
 * undefined: not confirmed. `verb`: `Wake`; `unmanaged`: include workloads that are not managed.
 * @throws UsageError
 */
export async function chosen(
  terminal: Terminal,
  dormouse: Dormouse,
  namespace: string,
  targets: readonly string[],
  options: ManyOptions,
  {
    verb,
    unmanaged = false,
    isLeftOut = () => false,
  }: {
    readonly verb: string
    readonly unmanaged?: boolean
    /** Whether a request for many leaves it out, because its owner keeps it at 0. */
    readonly isLeftOut?: (record: StatusRecord) => boolean
  },
): Promise<Targets | undefined> {
  const many = options.all === true || options.selector !== undefined
  if (targets.length > 0) {
    if (many || options.allNamespaces) throw new UsageError('name workloads, or give --all or -l, not both')
    return findTargets(dormouse, namespace, targets)
  }
  if (!many) throw new UsageError(`name a workload such as deploy/web, or give --all or -l to mean several`)
  const where = options.allNamespaces ? undefined : namespace
  const found = await dormouse.list({ namespace: where, labelSelector: checkedSelector(options.selector) })
  // If that is unknown here, the service decides: it refuses workloads that it does not manage.
  const managed = unmanaged
    ? found
    : found.filter(({ record }) => record.enabled || isBroken(record) || isUnknown(record))
  const meant = managed.filter(({ record }) => !isLeftOut(record))
  const agreed: Targets = { keys: meant.map(keyOfFound), absent: [], isList: true }
  const tell = (left: number, why: string) =>
    left > 0 && terminal.stderr.write(`${counted(left, 'workload')} ${why}: left out\n`)
  tell(found.length - managed.length, 'not managed by Dormouse')
  tell(managed.length - meant.length, 'kept at 0 by the owner')
  if (meant.length === 0) {
    terminal.stderr.write(`No workloads to ${verb.toLowerCase()} ${placeOf(where)}.\n`)
    return agreed
  }
  if (options.yes) return agreed
  const question = `${verb} ${countsOf(meant)} ${placeOf(where)}, ${dormouse.place}?`
  if (!terminal.ask)
    throw new UsageError(`${question} There is no terminal to ask at: add --yes if that is meant`)
  const answer = await terminal.ask(`${question} [y/N] `)
  return /^y(es)?$/i.test(answer.trim()) ? agreed : undefined
}

function placeOf(namespace: string | undefined): string {
  return namespace === undefined ? 'in all namespaces' : `in namespace ${namespace}`
}

/** `12 workloads (9 asleep, 3 awake)`. */
function countsOf(found: readonly Found[]): string {
  const asleep = found.filter(({ record }) => record.is_snoozed).length
  const unknown = found.filter(({ record }) => isUnknown(record)).length
  const awake = found.length - asleep - unknown
  const parts = [
    asleep > 0 ? `${asleep} asleep` : '',
    awake > 0 ? `${awake} awake` : '',
    unknown > 0 ? `${unknown} perhaps not managed` : '',
  ]
  return `${counted(found.length, 'workload')} (${parts.filter((part) => part !== '').join(', ')})`
}

import { runClient } from '../../src/cli/people/program.ts'
import type {
  Answer,
  Connection,
  Dormouse,
  Found,
  KnownContext,
  Seen,
  Selection,
} from '../../src/client/ports.ts'
import type { NamespaceRecord } from '../../src/domain/records/namespace-record.ts'
import type { StatusRecord } from '../../src/domain/records/record.ts'
import type { Request } from '../../src/domain/requests/operations.ts'
import type { Trouble } from '../../src/domain/workload/trouble.ts'
import { TYPE_OF, type BuiltInKind, type WorkloadKey } from '../../src/domain/workload/workload.ts'
import { Refusal } from '../../src/process/errors.ts'

/** 13:00 in Berlin. */
const NOON = Date.parse('2026-03-02T12:00:00Z')

/** A workload as the API shows it: awake by schedule, unless `more` says otherwise. */
export function aRecord(
  name: string,
  more: Partial<StatusRecord> = {},
  kind: BuiltInKind = 'deployments',
): Found {
  const record: Omit<StatusRecord, 'phase' | 'held_by'> = {
    name,
    namespace: 'shop',
    type: TYPE_OF[kind],
    enabled: true,
    current_replicas: 3,
    last_replicas: 3,
    ready_replicas: 3,
    late: false,
    trouble: null,
    waits_for: 'pods',
    is_snoozed: false,
    snooze_requested: false,
    wake_requested: false,
    snoozed_at: null,
    woken_at: null,
    wake_schedule: '8:00-18:00,Mon-Fri',
    timezone: 'Europe/Berlin',
    has_manual_override: false,
    manual_override_until: null,
    pin_state: 'none',
    in_backoff_period: false,
    backoff_until: null,
    operation_in_progress: false,
    recent_operations: 0,
    operation_history: [],
    next_transition: { at: '2026-03-02T17:00:00.000Z', type: 'snooze', reason: 'schedule' },
    policy: {
      enabled: { value: true, source: 'workload' },
      schedule: { value: '8:00-18:00,Mon-Fri', source: 'namespace/shop' },
      timezone: { value: 'Europe/Berlin', source: 'default' },
      calendar: { value: null, source: null },
      auto_wake: { value: true, source: 'default' },
      deploy_wakes: { value: false, source: 'default' },
      asleep_replicas: { value: 0, source: 'default' },
      wake_on_traffic: { value: 'off', source: 'default' },
      traffic_hold: { value: null, source: null },
    },
    reason:
      'awake by schedule 8:00-18:00,Mon-Fri (Europe/Berlin) of namespace shop until 2026-03-02T17:00:00Z',
    reason_code: 'schedule',
    reason_values: {},
    remedy: null,
    ...more,
  }
  const { operation_in_progress: moves, pin_state, has_manual_override, in_backoff_period } = record
  const phase = record.is_snoozed ? (moves ? 'falling_asleep' : 'asleep') : moves ? 'waking' : 'awake'
  const held = pin_state === 'none' ? (has_manual_override ? 'override' : null) : 'pin'
  const held_by = held ?? (in_backoff_period ? 'backoff' : null)
  return { kind, record: { ...record, phase, held_by, ...more } }
}

export function anAsleepRecord(name: string, more: Partial<StatusRecord> = {}): Found {
  return aRecord(name, {
    is_snoozed: true,
    current_replicas: 0,
    ready_replicas: 0,
    snoozed_at: '2026-03-02T10:00:00.000Z',
    next_transition: { at: '2026-03-03T07:00:00.000Z', type: 'wake', reason: 'schedule' },
    reason: 'asleep by request of k8s:ann until 2026-03-03T07:00:00Z',
    operation_history: [
      {
        type: 'snooze',
        trigger: 'api',
        timestamp: '2026-03-02T10:00:00.000Z',
        replicas: 0,
        duration: 2140,
        by: 'k8s:ann',
        result: 'succeeded',
      },
    ],
    ...more,
  })
}

/** A request as it reached the port. */
interface Asked {
  readonly key: WorkloadKey
  readonly request: Request
  readonly dryRun: boolean
}

/** Workloads that stand still: every request is done, and changes nothing. */
export class FakeDormouse implements Dormouse {
  readonly place: string = 'cluster dev'
  readonly defaultNamespace = 'shop'
  readonly notes: readonly string[] = []
  readonly unknowns: readonly string[] = []
  readonly asked: Asked[] = []
  /** Names of workloads. */
  readonly podsAsked: string[] = []
  /** The pods' words, by their workload. */
  readonly troubles: Readonly<Record<string, Trouble>> = {}
  workloads: readonly Found[] = []
  readonly namespaceRecords: readonly NamespaceRecord[] = []
  /** The events of a watch after the list. */
  readonly later: readonly (Found & Partial<Seen>)[] = []
  /** Why every request is refused. */
  refuses: Error | undefined
  readonly version: string | undefined = '2.0.0'
  /** undefined: nobody may say which there are. */
  readonly namespacesThere: readonly string[] | undefined

  constructor(
    given: Partial<
      Pick<
        FakeDormouse,
        | 'place'
        | 'workloads'
        | 'namespaceRecords'
        | 'later'
        | 'notes'
        | 'unknowns'
        | 'refuses'
        | 'version'
        | 'namespacesThere'
        | 'troubles'
      >
    > = {},
  ) {
    Object.assign(this, given)
  }

  async whoami() {
    return { cluster: 'dev', user: 'ann' }
  }

  async serviceVersion() {
    return this.version
  }

  async kinds() {
    return ['deployments', 'statefulsets', 'rollouts.argoproj.io'] as const
  }

  async namespaces() {
    return ['shop', 'staging']
  }

  async hasNamespace(name: string) {
    return this.namespacesThere?.includes(name)
  }

  async list({ namespace, kind }: Selection): Promise<readonly Found[]> {
    return this.workloads.filter(
      (each) =>
        (namespace ?? each.record.namespace) === each.record.namespace && (kind ?? each.kind) === each.kind,
    )
  }

  async summaries({ namespace }: Pick<Selection, 'namespace'>): Promise<readonly NamespaceRecord[]> {
    return this.namespaceRecords.filter(({ name }) => (namespace ?? name) === name)
  }

  async get(key: WorkloadKey): Promise<Found> {
    const is = ({ kind, record: { namespace, name } }: Found) =>
      kind === key.kind && namespace === key.namespace && name === key.name
    const workload = this.workloads.find(is)
    if (!workload) throw new Refusal('NOT_FOUND', `there is no ${key.kind} ${key.name}`)
    return workload
  }

  async podTrouble({ name }: WorkloadKey): Promise<Trouble | undefined> {
    this.podsAsked.push(name)
    return this.troubles[name]
  }

  async plan() {
    return [{ at: '2026-03-02T17:00:00.000Z', type: 'snooze', reason: 'asleep by schedule' }] as const
  }

  async request(key: WorkloadKey, request: Request, dryRun: boolean): Promise<Answer> {
    this.asked.push({ key, request, dryRun })
    if (this.refuses) throw this.refuses
    const workload = await this.get(key)
    return { messages: [`${dryRun ? 'would be ' : ''}${request.action} done`], after: async () => workload }
  }

  async *watch(_selection: Selection, _signal: AbortSignal): AsyncGenerator<Seen> {
    for (const each of [...this.workloads, ...this.later]) yield { gone: false, ...each }
  }

  async close() {}
}

/** The output of one call at a terminal. */
export interface Outcome {
  readonly code: number
  readonly out: string
  readonly err: string
  readonly asked: readonly Asked[]
  readonly podsAsked: readonly string[]
  readonly connections: readonly Connection[]
  /** Pages that a browser was to show. */
  readonly opened: readonly string[]
  /** The opened addresses whose traces were removed. */
  readonly forgotten: readonly string[]
}

interface Situation extends NonNullable<ConstructorParameters<typeof FakeDormouse>[0]> {
  /** In place of one over workloads that stand still. */
  readonly over?: Dormouse
  /** By context. */
  readonly clusters?: Readonly<Record<string, Dormouse>>
  /** Default: those of `clusters`, each of another cluster. */
  readonly contexts?: readonly KnownContext[]
  /** The person's input; undefined: there is no terminal. */
  readonly types?: string
  readonly isTerminal?: boolean
  readonly columns?: number
  readonly program?: string
  readonly environment?: Readonly<Record<string, string>>
  /** Called with each text on standard output; aborts to stop the process. */
  readonly onOutput?: (text: string, stop: AbortController) => void
}

/** Runs one command over workloads that stand still. */
export async function typed(
  line: readonly string[],
  {
    over,
    clusters = {},
    contexts = Object.keys(clusters).map((name) => ({ name, cluster: name })),
    types,
    isTerminal = false,
    environment = {},
    program = 'kubectl dormouse',
    columns,
    onOutput,
    ...workloads
  }: Situation = {},
): Promise<Outcome> {
  const written = { out: '', err: '' }
  const dormouse = new FakeDormouse(workloads)
  const connections: Connection[] = []
  const opened: string[] = []
  const forgotten: string[] = []
  const stop = new AbortController()
  const code = await runClient(line, '1.2.3', {
    stdout: {
      write: (text) => {
        written.out += text
        onOutput?.(text, stop)
      },
      isTTY: isTerminal,
      ...(columns !== undefined && { columns }),
    },
    stderr: { write: (text) => (written.err += text), isTTY: isTerminal },
    ask: types === undefined ? undefined : async (question) => ((written.err += question), types),
    clock: () => NOON,
    timezone: 'Europe/Berlin',
    environment,
    stopSignal: stop.signal,
    async openPage(url) {
      opened.push(url)
      return async () => void forgotten.push(url)
    },
    program,
    contexts: async () => contexts,
    async connect(connection) {
      connections.push(connection)
      if (connection.context !== undefined && clusters[connection.context])
        return clusters[connection.context]!
      return over ?? dormouse
    },
    openCluster: async () => {
      throw new Error('there is no cluster here')
    },
  })
  return {
    code,
    ...written,
    asked: dormouse.asked,
    podsAsked: dormouse.podsAsked,
    connections,
    opened,
    forgotten,
  }
}

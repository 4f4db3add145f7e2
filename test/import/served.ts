import { configurationOf, type ImportedConfiguration } from '../../src/import/plan/configuration.ts'
import { InForce } from '../../src/import/plan/in-force.ts'
import { keptIn, keptKey } from '../../src/import/plan/restores.ts'
import { isAtRest, nameOf, type ImportedObject } from '../../src/import/plan/imported-object.ts'
import { ASLEEP_LABEL } from '../../src/domain/annotations.ts'
import { readPublished, writtenSettings } from '../../src/domain/records/published.ts'
import { REQUEST_ANNOTATION } from '../../src/domain/requests/annotation.ts'
import { ScheduleCompiler } from '../../src/domain/schedule/schedule.ts'
import { Refusal } from '../../src/process/errors.ts'
import { downscalerAmong, toolsAmong, type Downscaler } from '../../src/import/tool.ts'
import { KEPT, Objects } from './import-cluster.ts'

const COMPILER = new ScheduleCompiler(100)
const EMPTY: ImportedConfiguration = { policies: [], excludeNamespaces: [], byHand: [] }

/** A cluster whose Dormouse has policies, adopts nothing that it does not manage, and notes what no moment may show. */
export class Served extends Objects {
  config = EMPTY
  /** Whether it publishes them. */
  publishes = true
  /** Moments that must not be: a sleeper that nobody keeps, or something awake that a schedule puts to sleep. */
  readonly faults: string[] = []
  readonly #asleep: ReadonlySet<string>

  constructor(objects: readonly ImportedObject[], sleepers: readonly ImportedObject[]) {
    super(objects)
    this.#asleep = new Set(sleepers.map(nameOf))
  }

  /** Puts what an import prints into its configuration. */
  async configure(tool: Downscaler): Promise<void> {
    const objects = [...this.objects.values()]
    const left = {
      ...(await downscalerAmong(toolsAmong(objects), tool, this)),
      namespaces: objects.filter(({ kind }) => kind === 'Namespace'),
      objects,
    }
    this.config = configurationOf(left, this.now)
  }

  /** The settings that hold for a workload now. */
  held(object: ImportedObject) {
    const namespaces = [...this.objects.values()].filter(({ kind }) => kind === 'Namespace')
    const force = new InForce(undefined, namespaces).with(this.config)
    return force.held(object, object.metadata.annotations ?? {})
  }

  override async get<Object>(path: string): Promise<Object | undefined> {
    if (!path.endsWith('/kube-public/configmaps/dormouse')) return super.get(path)
    if (!this.publishes) return undefined
    const { policies, excludeNamespaces } = this.config
    const said = { version: '1.0.0', timezone: 'UTC', kinds: [], calendars: {} }
    const data = writtenSettings({ ...readPublished({}).settings, ...said, policies, excludeNamespaces })
    return { data } as Object
  }

  override async patch(path: string, body: object, dryRun: boolean) {
    const before = this.objects.get(path)
    if (before && hasRequest(body)) {
      const annotations = merged(before.metadata.annotations, body)
      if (!this.held({ ...before, metadata: { ...before.metadata, annotations } }).enabled)
        throw new Refusal('CLUSTER_REJECTED', 'not managed by Dormouse; to manage it, enable it')
    }
    const answer = await super.patch(path, body, dryRun)
    if (!dryRun) this.#look(`${this.writes.length}: after ${before ? nameOf(before) : path}`)
    return answer
  }

  /** The Secrets that a deleted SleepInfo owns go with it. */
  override async remove(path: string): Promise<void> {
    await super.remove(path)
    this.objects.delete(
      path.replace(/^.*\/namespaces\/([^/]+)\/sleepinfos\//, '/api/v1/namespaces/$1/secrets/sleepinfo-'),
    )
    this.#look(`${this.writes.length}: after ${path} went`)
  }

  /** Whether the other tool still keeps its count, by an annotation or in a Secret. */
  #isKeptByTool(object: ImportedObject): boolean {
    const { namespace, annotations } = object.metadata
    if (annotations?.[KEPT] !== undefined) return true
    return [...this.objects.values()].some(
      (each) =>
        each.kind === 'Secret' && each.metadata.namespace === namespace && keptIn(each)?.has(keptKey(object)),
    )
  }

  #look(when: string): void {
    for (const object of this.objects.values()) {
      const { enabled, schedule, timezone, awakeUntil = 0 } = this.held(object)
      const name = nameOf(object)
      const kept = object.metadata.labels?.[ASLEEP_LABEL]
      if (!this.#asleep.has(name)) {
        if (object.kind !== 'Deployment' && object.kind !== 'StatefulSet') continue
        const isDue =
          enabled &&
          schedule !== '' &&
          awakeUntil <= this.now &&
          COMPILER.compile(schedule, timezone).stateAt(this.now) === 'asleep'
        if (isDue && !isAtRest(object)) this.faults.push(`${when}, ${name} would be put to sleep`)
        continue
      }
      if (!isAtRest(object)) this.faults.push(`${when}, ${name} is awake`)
      if (kept === undefined && !this.#isKeptByTool(object))
        this.faults.push(`${when}, ${name} is at 0 and nobody keeps its count`)
      if (kept !== undefined && !enabled) this.faults.push(`${when}, ${name} is adopted and not managed`)
    }
  }
}

function annotationsOf(body: object): Record<string, string | null> {
  return (body as { metadata?: { annotations?: Record<string, string | null> } }).metadata?.annotations ?? {}
}

function hasRequest(body: object): boolean {
  return typeof annotationsOf(body)[REQUEST_ANNOTATION] === 'string'
}

function merged(annotations: Readonly<Record<string, string>> = {}, body: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries({ ...annotations, ...annotationsOf(body) }).flatMap(([name, value]) =>
      value === null ? [] : [[name, value]],
    ),
  )
}

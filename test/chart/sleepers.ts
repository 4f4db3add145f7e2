import { expect } from 'chai'
import { formOf } from '../../src/domain/sleeping/forms.ts'
import {
  ANNOTATION,
  ANNOTATION_NAMES,
  ASLEEP_LABEL,
  KINDS,
  SNOOZE_KEY,
  type Kind,
} from '../../src/domain/workload/workload.ts'
import type { Cluster } from '../support/cluster.ts'
import { eventually } from '../support/eventually.ts'
import type { KubectlObject } from '../support/kubectl.ts'
import { manifest } from '../support/manifests.ts'

const COUNT = { deployments: 3, statefulsets: 2, daemonsets: 3, replicasets: 2, cronjobs: 1 }

/** One workload of each kind in a namespace, named after its kind. */
export class Sleepers {
  readonly #on: () => Cluster
  readonly #namespace: string

  constructor(on: () => Cluster, namespace: string) {
    this.#on = on
    this.#namespace = namespace
  }

  async create(): Promise<void> {
    const objects = KINDS.map((kind) => manifest(kind, kind, { replicas: COUNT[kind] }))
    await this.#on().create(this.#namespace, objects)
  }

  get(kind: Kind): Promise<KubectlObject> {
    return this.#on().kubectl.json('get', kind, kind, '-n', this.#namespace)
  }

  /** Undefined: it is awake. */
  async keptCount(kind: Kind): Promise<string | undefined> {
    return (await this.get(kind)).metadata.labels?.[ASLEEP_LABEL]
  }

  /** Checks that all are asleep and that none changes while `work` runs. */
  async stay(work: () => Promise<void>): Promise<void> {
    const before = await Promise.all(KINDS.map((kind) => this.get(kind)))
    for (const kind of KINDS) expect(await this.keptCount(kind), kind).to.equal(String(COUNT[kind]))
    await work()
    const after = await Promise.all(KINDS.map((kind) => this.get(kind)))
    expect(after.map(told)).to.deep.equal(before.map(told))
  }

  /** Checks that they are as they were before Dormouse. */
  async expectUntouched(): Promise<void> {
    for (const kind of KINDS) {
      const { metadata, spec } = await this.get(kind)
      if (formOf({ kind }).name === 'count') expect(spec.replicas, kind).to.equal(COUNT[kind])
      if (kind === 'cronjobs') expect(spec.suspend, kind).to.equal(false)
      expect(spec.template?.spec.nodeSelector ?? {}, kind).to.not.have.property(SNOOZE_KEY)
      expect(metadata.labels ?? {}, kind).to.not.have.property(ASLEEP_LABEL)
      for (const name of ANNOTATION_NAMES)
        expect(metadata.annotations ?? {}, kind).to.not.have.property(ANNOTATION[name])
    }
  }

  async ready(): Promise<void> {
    for (const kind of KINDS) {
      if (kind === 'cronjobs') continue
      await eventually(`all pods of ${kind}`, async () => {
        const { status } = await this.get(kind)
        return (status?.readyReplicas ?? status?.numberReady) === COUNT[kind]
      })
    }
  }
}

/** A workload without its status, and without what a write for the tags of its state alone changes. */
function told({ metadata, spec }: KubectlObject) {
  const { uid, generation, labels, annotations = {} } = metadata
  const { [ANNOTATION.state]: state = '{}', [ANNOTATION.history]: history, ...others } = annotations
  const { tag: _t, counter: _c, ...remembered } = JSON.parse(state) as Record<string, unknown>
  return { uid, generation, labels, others, remembered, history: history?.replace(/ ~\S+$/, ''), spec }
}

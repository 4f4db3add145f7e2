import type { Admission } from './admission.ts'
import type { AdmissionAttributes } from './admission-review.ts'
import type { KubeObject, ManagedFieldsEntry, StoredObject, UserInfo } from '../store/object.ts'
import type { Proposal, Registry, WriteOptions } from '../store/registry.ts'
import type { Resource, Target } from '../store/resources.ts'
import { fromScale, toScale } from '../store/scale.ts'

/** The sender of a write, and its options as admission sees them. */
export interface Requester {
  user: UserInfo
  /** CreateOptions or UpdateOptions, as the request gave them. */
  options: object
  warn: (text: string) => void
}

/** Writes of clients: as the registry's own, but admission webhooks review them before they are stored. */
export class ClientWrites {
  readonly #registry: Registry
  readonly #admission: Admission

  constructor(registry: Registry, admission: Admission) {
    this.#registry = registry
    this.#admission = admission
  }

  /** @throws StatusError of the registry and of admission */
  async create(
    resource: Resource,
    namespace: string | undefined,
    body: unknown,
    options: WriteOptions,
    requester: Requester,
  ): Promise<StoredObject> {
    const draft = this.#registry.draft(resource, namespace, body, options)
    const object = unnamed(draft)
    const admitted = await this.#admitted(requester, {
      operation: 'CREATE',
      resource,
      namespace: resource.plural === 'namespaces' ? draft.metadata.name : namespace,
      name: object.metadata.name,
      object,
      oldObject: undefined,
      dryRun: options.dryRun === true,
    })
    return this.#registry.insert(resource, draft, options, admitted === object ? undefined : admitted)
  }

  /**
   * If the object was replaced while a webhook reviewed it, the update starts again on the new object, as on the
   * real server: a PATCH is applied again, and a PUT with a resourceVersion is then a conflict.
   * @throws StatusError of the registry and of admission
   */
  async update(
    target: Target,
    change: (stored: StoredObject) => unknown,
    options: WriteOptions,
    requester: Requester,
  ): Promise<StoredObject> {
    for (;;) {
      const proposal = this.#registry.propose(target, change, options)
      const [object, oldObject] = shown(proposal)
      const admitted = await this.#admitted(requester, {
        operation: 'UPDATE',
        ...target,
        namespace: target.resource.plural === 'namespaces' ? target.name : target.namespace,
        ...(options.subresource === undefined ? {} : { subresource: options.subresource }),
        object,
        oldObject,
        dryRun: options.dryRun === true,
      })
      if (!this.#registry.isCurrent(proposal)) continue
      if (admitted === object) return this.#registry.commit(proposal)
      if (options.subresource !== 'scale') return this.#registry.commit(proposal, admitted)
      const scaled = (stored: StoredObject) => fromScale(target.resource, stored, admitted)
      return this.#registry.commit(this.#registry.propose(target, scaled, options))
    }
  }

  #admitted(
    { user, options, warn }: Requester,
    write: Omit<AdmissionAttributes, 'user' | 'options'>,
  ): Promise<KubeObject> {
    return this.#admission.admit({ ...write, user, options }, warn)
  }
}

/** A CREATE is reviewed without the fields that the server sets afterwards, such as a name made of generateName. */
function unnamed(draft: KubeObject): KubeObject {
  const { creationTimestamp: _created, generation: _generation, ...metadata } = draft.metadata
  return { ...draft, metadata: metadata.generateName ? { ...metadata, name: '' } : metadata }
}

/** New and old object as an UPDATE review shows them: the generation grows only after admission. */
function shown({ object, previous, options, resourceVersion }: Proposal): [KubeObject, KubeObject] {
  const { resourceVersion: _version, generation: _generation, ...metadata } = object.metadata
  const { generation } = previous.metadata
  const sent = {
    ...metadata,
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(generation === undefined ? {} : { generation }),
  }
  if (options.subresource !== 'scale') return [{ ...object, metadata: sent }, previous]
  return [scaleOf({ ...object, metadata: sent }), scaleOf(previous)]
}

/** A Scale as reviews show it: with the managers of `spec.replicas`. */
function scaleOf(workload: KubeObject): KubeObject {
  const scale = toScale(workload)
  const managedFields = (workload.metadata.managedFields ?? [])
    .filter(({ fieldsV1 }) => fieldsV1?.['f:spec']?.['f:replicas'])
    .map(ofReplicas)
  return managedFields.length > 0 ? { ...scale, metadata: { ...scale.metadata, managedFields } } : scale
}

const ofReplicas = (entry: ManagedFieldsEntry): ManagedFieldsEntry => ({
  ...entry,
  apiVersion: 'autoscaling/v1',
  fieldsV1: { 'f:spec': { 'f:replicas': {} } },
})

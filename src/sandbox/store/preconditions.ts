import type { ObjectMeta, StoredObject } from './object.ts'
import type { Target } from './resources.ts'
import { badRequest, conflict, invalid, wrong } from './status.ts'

/** The object sent is the one that the URL names. @throws StatusError 400, 409 for another uid */
export function checkIdentity(target: Target, previous: StoredObject, sent: ObjectMeta): void {
  const { namespace, name } = target
  if ((sent.name || name) !== name)
    throw badRequest(`the name of the object (${sent.name}) does not match the name on the URL (${name})`)
  if ((sent.namespace ?? namespace) !== namespace)
    throw badRequest(
      `the namespace of the object (${sent.namespace ?? ''}) does not match the namespace on the URL (${namespace ?? ''})`,
    )
  const { uid } = previous.metadata
  if (sent.uid && sent.uid !== uid)
    throw conflict(
      target.resource,
      name,
      `Precondition failed: UID in precondition: ${sent.uid}, in object meta: ${uid}`,
    )
}

/** The resourceVersion sent, if any, is the stored one. @throws StatusError 409, 422 if the resource needs one */
export function checkVersion(
  { resource, name }: Target,
  previous: StoredObject,
  sent: string | undefined,
): void {
  if (sent === undefined && !resource.unconditionalUpdate)
    throw invalid(resource, name, [
      wrong('metadata.resourceVersion', '0x0', 'must be specified for an update'),
    ])
  if (sent !== undefined && sent !== previous.metadata.resourceVersion) throw conflict(resource, name)
}

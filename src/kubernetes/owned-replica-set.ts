import type { WorkloadObject } from './api-object.ts'

/** How the API server writes a ReplicaSet: in a list without its kind. */
const BEGINNING =
  /^\{(?:"kind":"ReplicaSet","apiVersion":"apps\/v1",)?"metadata":\{"name":"([^"\\]+)",(?:"generateName":"[^"\\]*",)?"namespace":"([^"\\]+)","uid":"([^"\\]+)","resourceVersion":"(\d+)",/
const OWNER =
  /"ownerReferences":\[\{"apiVersion":"([^"\\]*)","kind":"([^"\\]*)","name":"([^"\\]*)","uid":"[^"\\]*","controller":true\W/y

/**
 * A ReplicaSet, of which one with a controller owner is not parsed: Deployments keep ten or so of them each, and their
 * events are most of all, only to be left out. It gets its identity and its owner alone. Whatever is not written as
 * the API server writes it is parsed.
 * @throws SyntaxError
 */
export function readReplicaSet(text: string): WorkloadObject {
  return ownedReplicaSet(text) ?? (JSON.parse(text) as WorkloadObject)
}

/**
 * Keys are searched with their quotes, which within a text are escaped. Of a ReplicaSet's metadata nothing else is
 * called `spec` and holds an object, so owners before the first `"spec":{` are its own, not its pod template's. The
 * status comes last: a text that ends before it is only a part.
 */
function ownedReplicaSet(text: string): WorkloadObject | undefined {
  const owners = text.indexOf('"ownerReferences":[')
  if (owners === -1) return undefined
  const [, name, namespace, uid, resourceVersion] = BEGINNING.exec(text) ?? []
  if (name === undefined || namespace === undefined || uid === undefined || resourceVersion === undefined)
    return undefined
  const spec = text.indexOf('"spec":{', owners)
  if (text.lastIndexOf('"spec":{', owners) !== -1 || spec === -1 || text.indexOf('"status":{', spec) === -1)
    return undefined
  OWNER.lastIndex = owners
  const [, apiVersion, kind, owner] = OWNER.exec(text) ?? []
  if (apiVersion === undefined || kind === undefined || owner === undefined) return undefined
  const ownerReferences = [{ apiVersion, kind, name: owner, controller: true }]
  return {
    metadata: { name: copied(name), namespace: copied(namespace), uid, resourceVersion, ownerReferences },
  }
}

/** A match is a slice, which keeps all of its text in memory: a list remembers the names of a hundred thousand. */
function copied(match: string): string {
  return Buffer.from(match).toString()
}

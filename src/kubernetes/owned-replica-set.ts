import type { WorkloadObject } from './api-object.ts'

/** The beginning of a ReplicaSet as the API server writes it; in a list it lacks its kind. */
const BEGINNING =
  /^\{(?:"kind":"ReplicaSet","apiVersion":"apps\/v1",)?"metadata":\{"name":"([^"\\]+)",(?:"generateName":"[^"\\]*",)?"namespace":"([^"\\]+)","uid":"([^"\\]+)","resourceVersion":"(\d+)",/
const OWNER =
  /"ownerReferences":\[\{"apiVersion":"([^"\\]*)","kind":"([^"\\]*)","name":"([^"\\]*)","uid":"[^"\\]*","controller":true\W/y

/**
 * Reads a ReplicaSet, but parses none that has a controller owner: Deployments keep about ten of them each, most events
 * are theirs, and they are left out anyway. Such a one gets its identity and its owner alone. Any text not in the API
 * server's own format is parsed.
 * @throws SyntaxError
 */
export function readReplicaSet(text: string): WorkloadObject {
  return ownedReplicaSet(text) ?? (JSON.parse(text) as WorkloadObject)
}

/**
 * Searches keys with their quotes, which are escaped within strings. In a ReplicaSet's metadata no other object is
 * called `spec`, so owners before the first `"spec":{` are its own, not its pod template's. The status comes last: a
 * text that ends before it is incomplete.
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

/** Copies a match: a slice keeps its whole text in memory, and a list remembers a hundred thousand names. */
function copied(match: string): string {
  return Buffer.from(match).toString()
}

/** A node of a syntax tree, as far as the tests of our own code look at it. */
export interface Node {
  readonly type?: string
  readonly [part: string]: unknown
}

/** All nodes of a tree. */
export function* nodesOf(value: unknown): Generator<Node> {
  if (typeof value !== 'object' || value === null) return
  yield value as Node
  for (const part of Object.values(value)) yield* nodesOf(part)
}

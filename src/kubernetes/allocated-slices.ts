import { isDeepStrictEqual } from 'node:util'
import { allocationOf, type Allocation } from '../domain/traffic/allocation.ts'
import { MANAGED_BY_LABEL, MANAGER } from '../domain/traffic/slices.ts'
import { ownSlicesIn } from './endpoint-slices.ts'
import { Informer } from './informer.ts'
import type { SliceObject } from './traffic-objects.ts'
import { VersionedStore } from './versioned-store.ts'

interface AllocatedSlice {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly allocation: Allocation
}

/** The allocations of the slices of ours. The cluster sends no others: they would be most of a large one's. */
export class AllocatedSlices extends Informer<'endpointslices', AllocatedSlice> {
  readonly name = 'allocated slices'
  readonly #known = new VersionedStore<AllocatedSlice>({
    notify: (before, after) => this.tell(before, after),
    merge: (before, after) => (isDeepStrictEqual(before.allocation, after.allocation) ? before : after),
  })

  protected begin(): void {
    void this.follow('endpointslices', {
      collection: ownSlicesIn(),
      sink: this.#known.sink<SliceObject>(trimmed),
    })
  }

  /** Whether its watch is connected, so that its copies are current. */
  get connected(): boolean {
    return this.isCurrent('endpointslices')
  }

  *list(): Iterable<readonly [slice: string, allocation: Allocation]> {
    for (const each of this.#known.list()) yield [keyOf(each), each.allocation]
  }

  /** Called for each change; undefined: the slice is gone, or allocates nothing any more. */
  onAllocation(listener: (slice: string, allocation: Allocation | undefined) => void): void {
    this.onChange((before, after) => {
      const slice = after ?? before
      if (slice) listener(keyOf(slice), after?.allocation)
    })
  }

  protected override listed(): void {
    this.ready.resolve()
  }
}

function keyOf({ namespace, name }: AllocatedSlice): string {
  return `${namespace}/${name}`
}

/** undefined: it allocates nothing. */
function trimmed(slice: SliceObject): AllocatedSlice | undefined {
  const { namespace = '', name, uid, resourceVersion, labels } = slice.metadata
  // Checked in spite of the selector: a server may send others.
  const allocation = labels?.[MANAGED_BY_LABEL] === MANAGER ? allocationOf(slice) : undefined
  return allocation && { namespace, name, uid, resourceVersion, allocation }
}

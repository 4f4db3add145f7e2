import type { ServiceCopy, SliceCopy } from '../../src/domain/traffic/copies.ts'
import type { Slice, Waker } from '../../src/domain/traffic/slices.ts'
import type { SliceWriting, TrafficCopies } from '../../src/kubernetes/ports.ts'
import type { Slices } from '../../src/service/controller/slices.ts'

/** Services and EndpointSlices, and the leader's copies of them: the watch tells at once, or when it is told to. */
export class FakeTraffic implements TrafficCopies, SliceWriting {
  /** `create shop/web-zzzzz-dormouse-…`, in order. */
  readonly writes: string[] = []
  readonly live = new Map<string, SliceCopy>()
  wakers: readonly Waker[] = [{ address: '10.1.2.3', family: 'IPv4' }]
  isCurrent = true
  fault: string | undefined
  /** The API server's answer to a write instead of taking it. */
  answer: (() => Error | undefined) | undefined
  /** Whether events wait for `tell`. */
  isLate = false
  /** Told of every change. */
  slicesOfLeader: Slices | undefined
  readonly #services = new Map<string, ServiceCopy>()
  readonly #copies = new Map<string, SliceCopy>()
  #untold: (() => void)[] = []
  #version = 0

  service(namespace: string, name: string): ServiceCopy | undefined {
    return this.#services.get(`${namespace}/${name}`)
  }

  services(namespace?: string): ServiceCopy[] {
    return [...this.#services.values()].filter(
      (each) => namespace === undefined || each.namespace === namespace,
    )
  }

  slicesOf(namespace: string, service: string): SliceCopy[] {
    return this.slices().filter((each) => each.namespace === namespace && each.service === service)
  }

  slices(): SliceCopy[] {
    return [...this.#copies.values()]
  }

  onService(): void {}
  onSlice(): void {}
  onState(): void {}

  async create(slice: Slice): Promise<void> {
    this.#refuse()
    const { namespace, name, labels } = slice.metadata
    this.writes.push(`create ${namespace}/${name}`)
    const service = labels['kubernetes.io/service-name'] ?? ''
    this.put({
      namespace,
      name,
      uid: name,
      resourceVersion: '',
      service,
      own: slice,
      readyPods: [],
      wakers: [],
    })
  }

  async replace(standing: SliceCopy, slice: Slice): Promise<void> {
    this.#refuse()
    this.writes.push(`replace ${keyOf(standing)}`)
    this.put({ ...standing, own: slice })
  }

  async remove(standing: SliceCopy): Promise<void> {
    this.#refuse()
    this.writes.push(`delete ${keyOf(standing)}`)
    this.delete(standing)
  }

  /** Somebody creates or changes a Service; undefined: deletes it. */
  putService(name: string, service: ServiceCopy | undefined): void {
    const key = `shop/${name}`
    const before = this.#services.get(key)
    if (service) this.#services.set(key, service)
    else this.#services.delete(key)
    const changed = service ?? before
    if (changed) this.slicesOfLeader?.serviceChanged(changed)
  }

  put(slice: SliceCopy): void {
    const stored = { ...slice, resourceVersion: String(++this.#version) }
    this.live.set(keyOf(slice), stored)
    this.#event(() => {
      const before = this.#copies.get(keyOf(slice))
      this.#copies.set(keyOf(slice), stored)
      this.slicesOfLeader?.sliceChanged(before, stored)
    })
  }

  delete(slice: Pick<SliceCopy, 'namespace' | 'name'>): void {
    this.live.delete(keyOf(slice))
    this.#event(() => {
      const before = this.#copies.get(keyOf(slice))
      this.#copies.delete(keyOf(slice))
      if (before) this.slicesOfLeader?.sliceChanged(before, undefined)
    })
  }

  /** The watch catches up. */
  tell(): void {
    const events = this.#untold
    this.#untold = []
    for (const event of events) event()
  }

  #event(event: () => void): void {
    if (this.isLate) this.#untold.push(event)
    else event()
  }

  #refuse(): void {
    const refusal = this.answer?.()
    if (refusal) throw refusal
  }
}

function keyOf({ namespace, name }: Pick<SliceCopy, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`
}

import type { Allocation } from '../domain/traffic/allocation.ts'
import type { Monotonic } from '../process/clock.ts'
import type { Logger } from '../process/logger.ts'
import { serviceOf } from './places.ts'
import type { Allocations, ClaimedPort } from './ports.ts'

/** Milliseconds: proxies may send connections to a port for so long after its slice went. */
const LINGER = 60_000

interface Options {
  readonly allocations: Allocations
  readonly monotonic: Monotonic
  readonly logger: Logger
}

interface Row {
  /** By slice: a Service has one for each family of addresses. */
  readonly claims: Map<string, ClaimedPort>
  /** The latest one that had it alone, for when all claims are gone. */
  latest: ClaimedPort | undefined
  /** Monotonic: when the last claim went. */
  freedAt: number
}

/** The meaning of our ports: whose each one is, by the slices of ours. */
export class PortTable {
  readonly #options: Options
  readonly #rows = new Map<number, Row>()
  readonly #slices = new Map<string, Allocation>()
  /** Addresses that a slice of ours has named: few, for wakers are replaced together. */
  readonly #wakers = new Set<string>()

  constructor(options: Options) {
    this.#options = options
  }

  /** Follows the slices from now on. */
  follow(): void {
    const { allocations } = this.#options
    for (const [slice, allocation] of allocations.list()) this.#changed(slice, allocation)
    allocations.onChange((slice, allocation) => this.#changed(slice, allocation))
  }

  /** undefined: it is nobody's, or two Services claim it, so that nobody knows whom a connection is for. */
  get(number: number): ClaimedPort | undefined {
    const row = this.#rows.get(number)
    if (!row) return undefined
    const [first, ...others] = row.claims.values()
    if (first) return others.every((other) => isSame(first, other)) ? first : undefined
    return this.#options.monotonic() - row.freedAt < LINGER ? row.latest : undefined
  }

  /** Whether a slice of ours leads to one of these addresses. */
  names(addresses: readonly string[]): boolean {
    return [...this.#slices.values()].some((each) =>
      each.addresses.some((address) => addresses.includes(address)),
    )
  }

  /** Whether a slice of ours leads, or led, to this address. */
  isOfWaker(address: string): boolean {
    return this.#wakers.has(address)
  }

  #changed(slice: string, allocation: Allocation | undefined): void {
    const before = this.#slices.get(slice)?.ports ?? []
    if (allocation) this.#slices.set(slice, allocation)
    else this.#slices.delete(slice)
    const ports = allocation?.ports ?? []
    for (const { number } of before)
      if (!ports.some((each) => each.number === number)) this.#withdraw(number, slice)
    if (!allocation) return
    const { namespace, service, workloads, addresses } = allocation
    for (const address of addresses) this.#wakers.add(address)
    for (const { name, number, mode } of ports)
      this.#claim(number, slice, { namespace, service, port: name, mode, workloads })
  }

  #claim(number: number, slice: string, port: ClaimedPort): void {
    const row = this.#rows.get(number) ?? { claims: new Map(), latest: undefined, freedAt: 0 }
    this.#rows.set(number, row)
    const before = row.claims.get(slice)
    row.claims.set(slice, port)
    const alone = this.get(number)
    if (alone) row.latest = port
    else if (!before || !isSame(before, port)) this.#warn(number, row)
  }

  #withdraw(number: number, slice: string): void {
    const row = this.#rows.get(number)
    row?.claims.delete(slice)
    if (row?.claims.size === 0) row.freedAt = this.#options.monotonic()
    else if (row) row.latest = this.get(number) ?? row.latest
  }

  #warn(number: number, { claims }: Row): void {
    const services = new Set(Array.from(claims.values(), serviceOf))
    this.#options.logger.warn(
      { port: number, services: [...services] },
      'two Services claim one port of ours, so neither is woken by it until one lets go: was a slice edited?',
    )
  }
}

function isSame(one: ClaimedPort, other: ClaimedPort): boolean {
  return serviceOf(one) === serviceOf(other) && one.port === other.port
}

import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** Answers of servers: 1 ms to 10 s. */
const QUICK = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/**
 * Makes metrics named `dormouse_…` in one registry.
 *
 * A counter with a closed set of labels is to begin at 0 with each of them (`inc(labels, 0)`). Prometheus sees an
 * increase only between two values: if a counter first appears with 500, as after a whole wave, the 500 are lost,
 * and so is the first failure.
 */
export class MetricFactory {
  readonly registry = new Registry()

  /** `collect`, here and below, sets the values at each scrape. */
  counter<L extends string = never>(
    name: string,
    help: string,
    labelNames: L[] = [],
    collect: (counter: Counter<L>) => void = () => {},
  ): Counter<L> {
    const counter: Counter<L> = new Counter({
      name: `dormouse_${name}`,
      help,
      labelNames,
      registers: [this.registry],
      collect: () => collect(counter),
    })
    return counter
  }

  gauge<L extends string = never>(
    name: string,
    help: string,
    labelNames: L[] = [],
    collect: (gauge: Gauge<L>) => void = () => {},
  ): Gauge<L> {
    const gauge: Gauge<L> = new Gauge({
      name: `dormouse_${name}`,
      help,
      labelNames,
      registers: [this.registry],
      collect: () => collect(gauge),
    })
    return gauge
  }

  /** A histogram of durations in seconds. */
  histogram<L extends string = never>(
    name: string,
    help: string,
    labelNames: L[] = [],
    buckets: number[] = QUICK,
  ): Histogram<L> {
    return new Histogram({ name: `dormouse_${name}`, help, labelNames, buckets, registers: [this.registry] })
  }
}

import { milliseconds } from '../../src/domain/schedule/duration.ts'
import type { Cluster } from '../support/cluster.ts'
import { ProgramClock } from '../support/program-clock.ts'
import { calendarsOf, HOUR, rulesWith } from '../support/rules.ts'
import { startSandboxCluster } from '../support/sandbox-cluster.ts'
import type { Patience } from './rest.ts'
import { play, type Played } from './play.ts'
import type { Scenario } from './scenario.ts'
import { SETTINGS, World } from './world.ts'

/** A place in which scenarios are played. */
export interface Place {
  /** Whether its clock can be moved. */
  readonly moves: boolean
  readonly patience: Patience
  start(): Promise<{ readonly world: World; readonly stop: () => Promise<void> }>
}

/** Two replicas over a sandbox of their own, whose clock is theirs. */
export const SANDBOX: Place = {
  moves: true,
  patience: { quiet: 300, longest: 45_000 },
  async start() {
    const clock = new ProgramClock({ nap: 50 })
    const cluster = await startSandboxCluster({ readyAfterMs: 20, clock: () => clock.now() })
    const world = await World.start(cluster, 2, clock)
    const stop = async () => {
      await world.stop()
      await cluster.stop()
    }
    return { world, stop }
  },
}

/** Two replicas over the real control plane, where a minute takes a minute. */
export function realPlace(cluster: () => Cluster): Place {
  return {
    moves: false,
    patience: { quiet: 1500, longest: 90_000 },
    async start() {
      const world = await World.start(cluster(), 2, new ProgramClock({ nap: null }))
      return { world, stop: () => world.stop() }
    },
  }
}

/** Milliseconds that a world's clock is moved at most: two thirds of its certificates' life. */
const FARTHEST = 5000 * HOUR

const { maxOperations, window, base, max } = SETTINGS.backoff
const dates = Object.entries(SETTINGS.calendars).map(([name, { dates }]) => [name, dates] as const)
const RULES = rulesWith(
  {
    newWorkloadGrace: milliseconds(SETTINGS.newWorkloadGrace),
    backoff: {
      maxOperations,
      window: milliseconds(window),
      base: milliseconds(base),
      max: milliseconds(max),
    },
  },
  calendarsOf(Object.fromEntries(dates)),
)

/** Plays scenarios, one world for many of them; after a violation with a new one. */
export class Player {
  readonly #place: Place
  #started: ReturnType<Place['start']> | undefined

  constructor(place: Place) {
    this.#place = place
  }

  async play(scenario: Scenario): Promise<Played> {
    const { world } = await this.#world()
    const played = await play(world, scenario, RULES, this.#place.patience)
    if (played.violations.length > 0 || world.ahead > FARTHEST) await this.stop()
    return played
  }

  async load(): ReturnType<World['load']> {
    return (await this.#world()).world.load()
  }

  async stop(): Promise<void> {
    const started = this.#started
    this.#started = undefined
    await (await started)?.stop()
  }

  #world(): ReturnType<Place['start']> {
    return (this.#started ??= this.#place.start())
  }
}

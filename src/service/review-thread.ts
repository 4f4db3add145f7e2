import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { systemClock } from '../clock.ts'
import { calendarsIn, type CalendarSnapshot } from '../calendars/configured-calendars.ts'
import type { Config } from '../config.ts'
import type { Kind } from '../domain/workload.ts'
import type { WorkloadObject } from '../kubernetes/api-object.ts'
import { fieldOf } from '../kubernetes/configured-kinds.ts'
import { trim } from '../kubernetes/trim.ts'
import type { LargeTask } from '../webhook/large-reviews.ts'
import { prepare } from '../webhook/prepare.ts'
import { rulesOf } from './settings.ts'

/** In MiB; the review that takes most memory to parse needs half of it. */
const MEMORY = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 8 }

interface Settings {
  readonly config: Config
  readonly calendars: CalendarSnapshot
}

/** A thread that prepares large reviews under a configuration. This file is also the code that runs in it. */
export function reviewThread(config: Config, calendars: CalendarSnapshot = {}): Worker {
  const workerData: Settings = { config, calendars }
  return new Worker(new URL(import.meta.url), { workerData, resourceLimits: MEMORY })
}

if (!isMainThread && parentPort) {
  const { config, calendars } = workerData as Settings
  const port = parentPort
  const fields = new Map(config.kinds.map((each) => [each.resource as Kind, fieldOf(each)]))
  let sent: LargeTask['namespace']
  const deps = {
    rules: rulesOf(config, {
      namespaceOf: (name) => (sent?.name === name ? sent : undefined),
      calendars: calendarsIn(config.calendars, calendars),
    }),
    clock: systemClock,
    trim: (kind: Kind, object: unknown) => trim(kind, object as WorkloadObject, undefined, fields),
    configured: new Set(fields.keys()),
  }
  port.on('message', ({ webhook, body, namespace }: LargeTask) => {
    sent = namespace
    port.postMessage(prepare(webhook, body, deps))
  })
  port.postMessage('ready')
}

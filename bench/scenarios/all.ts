import type { Scenario } from '../scenario.ts'
import { api } from './api.ts'
import { cycle } from './cycle.ts'
import { idle } from './idle.ts'
import { image } from './image.ts'
import { list } from './list.ts'
import { memory } from './memory.ts'
import { scale } from './scale.ts'
import { sockets } from './sockets.ts'
import { start } from './start.ts'
import { wave } from './wave.ts'
import { webhook } from './webhook.ts'

/** In the order in which they run. */
export const SCENARIOS: readonly Scenario[] = [
  wave,
  memory,
  cycle,
  start,
  idle,
  api,
  webhook,
  scale,
  list,
  sockets,
  image,
]

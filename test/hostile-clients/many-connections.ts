import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { eventually, inParallel } from '../support/eventually.ts'
import { print } from '../support/figures.ts'
import { BEHAVIOURS } from './behaviours.ts'
import { Crowd } from './crowd.ts'
import { shown, Stage } from './stage.ts'

export const COUNT = 10_000
/** Addresses of loopback that they come from. */
const FROM = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5']
/** A port's places, and what else the program has open. */
const MOST_DESCRIPTORS = 1024 + 200
/** Milliseconds between two visits of an ordinary client, which stays below the rate that it may ask at. */
const PAUSE = 100

/** The tests of 10,000 connections of these behaviours. */
export function manyConnections(behaviours: readonly string[]): void {
  let stage: Stage | undefined

  before(async function () {
    const limit = Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1])
    if (limit < COUNT + 1000) {
      print([`not run: ${COUNT} connections need as many descriptors, and this process may have ${limit}`])
      this.skip()
    }
    stage = await Stage.start()
  })
  after(() => stage?.stop())

  for (const what of behaviours)
    it(`that ${what} leave places for others`, async () => {
      if (!stage) throw new TypeError('the program was not started')
      await leavesPlaces(stage, what)
    })
}

async function leavesPlaces(stage: Stage, what: string): Promise<void> {
  const behaviour = BEHAVIOURS[what]?.('apiWithoutTls', await stage.token('hostile'))
  if (!behaviour) throw new TypeError(`there is no behaviour "${what}"`)
  const before = await stage.footprint()
  const crowded = new AbortController()
  const crowds: Crowd[] = []
  const open = async () => {
    const { url } = stage.ports.apiWithoutTls
    await inParallel(FROM, async (from) =>
      crowds.push(await Crowd.open(url, COUNT / FROM.length, behaviour, from)),
    )
    return await stage.footprint()
  }
  let seen
  try {
    seen = await Promise.all([visitUntil(stage, crowded.signal), open().finally(() => crowded.abort())])
  } finally {
    await Promise.all(crowds.map((crowd) => crowd.leave()))
  }
  const [visits, during] = seen
  const after = await stage.settled(before)
  print([
    `${visits.served} of ${visits.asked} requests of others were answered; before: ${shown(before)}`,
    `during: ${shown(during)}; after: ${shown(after)}`,
  ])
  expect(during.descriptors).to.be.below(MOST_DESCRIPTORS)
}

/**
 * What an ordinary client saw until then. While connections come faster than their requests are read, its own may be the
 * one that makes room: then it asks again.
 */
async function visitUntil(stage: Stage, over: AbortSignal): Promise<{ served: number; asked: number }> {
  let [served, asked] = [0, 0]
  do {
    await eventually('an answer', () => {
      asked += 1
      return stage.visit('apiWithoutTls').then(() => true)
    })
    served += 1
    await sleep(PAUSE)
  } while (!over.aborted)
  return { served, asked }
}

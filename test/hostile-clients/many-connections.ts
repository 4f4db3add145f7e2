import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { print } from '../support/figures.ts'
import { BEHAVIOURS } from './behaviours.ts'
import { Crowd } from './crowd.ts'
import { shown, Stage } from './stage.ts'

export const COUNT = 10_000
/** Addresses of loopback that they come from. */
const FROM = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5']
/** A port's places, and what else the program has open. */
const MOST_DESCRIPTORS = 1024 + 200

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
  let visits = 0
  const crowded = new AbortController()
  const visiting = (async () => {
    while (!crowded.signal.aborted) {
      await stage.visit('apiWithoutTls')
      visits += 1
    }
  })()
  const { url } = stage.ports.apiWithoutTls
  const crowds = await Promise.all(FROM.map((from) => Crowd.open(url, COUNT / FROM.length, behaviour, from)))
  const during = await stage.footprint()
  crowded.abort()
  await visiting
  await Promise.all(crowds.map((crowd) => crowd.leave()))
  const after = await stage.settled(before)
  print([
    `${visits} others were served; before: ${shown(before)}`,
    `during: ${shown(during)}; after: ${shown(after)}`,
  ])
  expect(during.descriptors).to.be.below(MOST_DESCRIPTORS)
  expect(visits).to.be.above(0)
}

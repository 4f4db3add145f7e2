import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { print } from '../support/figures.ts'
import { BEHAVIOURS } from './behaviours.ts'
import { Crowd } from './crowd.ts'
import { shown, Stage } from './stage.ts'

const COUNT = 10_000
/** Addresses of loopback that they come from. */
const FROM = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5']
/** A port's places, and what else the program has open. */
const MOST_DESCRIPTORS = 1024 + 200

describe(`${COUNT} connections`, function () {
  this.timeout(120_000)
  let stage: Stage

  before(async function () {
    const limit = Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1])
    if (limit < COUNT + 1000) {
      print([`not run: ${COUNT} connections need as many descriptors, and this process may have ${limit}`])
      this.skip()
    }
    stage = await Stage.start()
  })
  after(() => stage?.stop())

  for (const [what, behaviour] of Object.entries(BEHAVIOURS))
    it(`that ${what} leave places for others`, async () => {
      const before = await stage.footprint()
      const token = await stage.token('hostile')
      let visits = 0
      let crowded = true
      const visiting = (async () => {
        while (crowded) {
          await stage.visit('apiWithoutTls')
          visits += 1
        }
      })()
      const { url } = stage.ports.apiWithoutTls
      const crowds = await Promise.all(
        FROM.map((from) => Crowd.open(url, COUNT / FROM.length, behaviour('apiWithoutTls', token), from)),
      )
      crowded = false
      const during = await stage.footprint()
      await Promise.all(crowds.map((crowd) => crowd.leave()))
      await visiting
      const after = await stage.settled(before)
      print([
        `${visits} others were served; before: ${shown(before)}`,
        `during: ${shown(during)}; after: ${shown(after)}`,
      ])
      expect(during.descriptors).to.be.below(MOST_DESCRIPTORS)
      expect(visits).to.be.above(0)
    })
})

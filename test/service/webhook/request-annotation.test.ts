import { expect } from 'chai'
import { keyOf } from '../../../src/domain/workload/workload.ts'
import { changing } from '../../support/reviews.ts'
import { objectOf } from '../../support/workload-object.ts'
import { aDeployment, type AWorkload } from '../../support/workloads.ts'
import { RATE, Reviewing } from './reviewing.ts'

const web = aDeployment('shop/web').withReplicas(3).enabled().remembering({})
const asleep = web.snoozed({ at: Date.parse('2026-03-02T07:00:00Z'), trigger: 'api' })
const ANN = {
  username: 'ann',
  uid: 'uid-of-ann',
  groups: ['developers', 'system:authenticated'],
  extra: { 'example.com/from': ['sso'] },
}

describe('a review of an update that asks for something', () => {
  let here: Reviewing

  beforeEach(async () => {
    here = new Reviewing()
    await here.start()
    here.copies.set(keyOf(web), web)
  })

  afterEach(() => here.stop())

  const ask = (request: string, workload: AWorkload = web, changes: object = {}) =>
    here.review(
      '/webhook/workloads',
      changing(workload, objectOf(workload), objectOf(workload.annotated({ request })), {
        userInfo: ANN,
        ...changes,
      }),
    )

  it('asks the cluster nothing for a wake or a snooze: the right to patch has brought it', async () => {
    const answer = await ask('snooze')
    expect(answer).to.include({ allowed: true })
    expect(answer.operations).to.deep.include({
      op: 'remove',
      path: '/metadata/annotations/dormouse.dev~1request',
    })
    expect(answer.operations).to.deep.include({ op: 'replace', path: '/spec/replicas', value: 0 })
    expect(answer.warnings?.[0]).to.match(/^Dormouse: deployment shop\/web snoozed, 3 replicas kept/)
    expect(here.asked).to.deep.equal([])
    expect(here.told).to.deep.equal(['workloads patched requested'])
  })

  it('asks whether the user may update the scale to pin, unpin, override and resume, with groups and extra', async () => {
    for (const request of ['pin', 'unpin', 'override 2h', 'resume'])
      expect((await ask(request)).allowed).to.equal(true)
    const access = {
      group: 'apps',
      verb: 'update',
      resource: 'deployments',
      subresource: 'scale',
      namespace: 'shop',
      name: 'web',
    }
    expect(here.asked).to.deep.equal(Array.from({ length: 4 }, () => ({ user: ANN, access })))
  })

  it('is denied without that right, with the right that is missing', async () => {
    here.allowed = () => false
    const answer = await ask('pin')
    expect(answer).to.include({ allowed: false })
    expect(answer.status?.message).to.match(
      /web: you may not update deployments.apps\/scale in the namespace shop, which this needs: ask for a Role/,
    )
    expect((await ask('wake')).allowed).to.equal(true)
  })

  it('is denied without that right however the request is padded', async () => {
    here.allowed = () => false
    const blanks = ' '.repeat(200)
    for (const request of [`pin${blanks}`, `${blanks}unpin`, `override${blanks}2h`])
      expect((await ask(request)).allowed, request).to.equal(false)
  })

  /** The state that the answer leaves, where it changes that which was sent. */
  const stateLeft = ({ operations = [] }: Awaited<ReturnType<typeof ask>>) => {
    const made = operations.findLast(({ path }) => path.endsWith('dormouse.dev~1state'))
    return made && 'value' in made ? String(made.value) : undefined
  }

  it('is no way around that right by a forged state that says that another request was carried out', async () => {
    const state = stateLeft(await ask('pin'))
    expect(state).to.include('"pin"')
    here.allowed = () => false
    for (const annotations of [{ state }, { state, request: 'wake' }]) {
      const answer = await ask('', web, { object: objectOf(web.annotated(annotations)) })
      const left = stateLeft(answer)
      const isStopped = !answer.allowed || (left !== undefined && left !== state)
      expect(isStopped, JSON.stringify(Object.keys(annotations))).to.equal(true)
    }
  })

  it('makes nobody another by what they write: names stand in no request', async () => {
    const woken = stateLeft(await ask('wake', asleep))
    expect(woken).to.include('"k8s:ann"').and.not.include('cfo')
    const request = { text: 'wake', by: 'k8s:cfo' }
    const state = JSON.stringify({ ...(JSON.parse(asleep.annotations.state ?? '') as object), request })
    const forged = objectOf(asleep.annotated({ state, request: 'wake' }))
    const answer = await ask('', asleep, { object: forged })
    expect(answer.warnings?.join()).to.match(/does nothing beside a change of dormouse\.dev\/state/)
    expect(stateLeft(answer)).to.equal(asleep.annotations.state)
  })

  it('is denied while the cluster does not say', async () => {
    here.allowed = () => {
      throw new Error('down')
    }
    expect((await ask('pin')).status?.message).to.match(/web: not changed: .* Try again$/)
  })

  it('of a stranger, who does not know the uid, is no way to ask about rights', async () => {
    expect((await ask('pin', web.with({ uid: 'guessed' }))).allowed).to.equal(false)
    expect(here.asked).to.deep.equal([])
  })

  it('asks at most as often as the API is asked, each user by itself', async () => {
    for (let time = 0; time < RATE.burst; time += 1) expect((await ask('wake')).allowed).to.equal(true)
    expect((await ask('wake')).status?.message).to.match(/at most 20 requests a second, and 40 at once/)
    expect((await ask('wake', web, { userInfo: { username: 'ben' } })).allowed).to.equal(true)
    here.now += 1000
    expect((await ask('wake')).allowed).to.equal(true)
  })

  it('of one workload takes nothing from what its user may ask of others', async () => {
    const own = aDeployment('shop/own').withReplicas(3).enabled().remembering({}).with({ uid: 'own' })
    here.copies.set(keyOf(own), own)
    for (let time = 0; time <= RATE.burst; time += 1) await ask('wake', own)
    expect((await ask('wake', own)).allowed).to.equal(false)
    expect((await ask('wake')).allowed).to.equal(true)
  })

  it('of a stranger takes nothing from the user that it names', async () => {
    const forged = web.with({ uid: 'guessed' })
    for (let time = 0; time <= RATE.burst; time += 1) await ask('wake', forged)
    expect((await ask('wake')).allowed).to.equal(true)
  })

  it('keeps little of whom it names, however long the name is: anybody who reaches the port may send one', async () => {
    const kept: number[] = []
    const spend = here.limit.spend.bind(here.limit)
    here.limit.spend = (key, message) => {
      kept.push(key.length)
      spend(key, message)
    }
    await ask('wake', web, { userInfo: { username: 'x'.repeat(1_000_000) } })
    expect(kept).to.have.length(1)
    expect(kept[0]).to.be.below(100)
  })
})

import { expect } from 'chai'
import { loadConfig } from '../../src/service/config/config.ts'
import { ANNOTATION } from '../../src/domain/workload/workload.ts'
import { settingsForClients } from '../../src/wiring/published.ts'
import { EMPTY_STATE } from '../../src/domain/workload/state.ts'
import { encodeState } from '../../src/domain/workload/state-codec.ts'
import {
  aDeployment,
  consoleShows,
  NAMESPACE,
  NOW,
  over,
  reads,
  SETTINGS,
  status,
} from './answering-cluster.ts'
import { typed } from './fake-dormouse.ts'
import { hasUnknownHours, stateOf as shownByPage } from '../../src/words/state.ts'

const POLICY = `
policies: [{ name: dev, namespaces: { names: [shop] }, enabled: true, schedule: '8:00-18:00,Mon-Fri' }]`
const HOLIDAY = "calendars: { de: { dates: { 2026-03-03: '' } } }"

/** The published settings of a service with this configuration. */
function published(text: string): Record<string, string> {
  const config = loadConfig({ text, environment: {} })
  return settingsForClients(config, { de: { days: [], windows: [] } }, [], '1.2.3')
}

/** One command of a person over a cluster with one Deployment, shop/web. */
function person(data: Record<string, string> | undefined, annotations: Record<string, string> = {}) {
  const { dormouse, patches } = over((request) => {
    const object = aDeployment(annotations)
    if (request.method !== 'PATCH') return reads(request, data, object)
    return { body: object, warning: 'Dormouse: deployment shop/web put to sleep' }
  })
  return { patches, type: (...line: string[]) => typed(line, { over: dormouse }) }
}

/** Words of `why`, `list`, `status` and `plan` that a person takes for an answer. */
async function answers(...given: Parameters<typeof person>): Promise<string> {
  const { type } = person(...given)
  const all = []
  for (const line of [['why', 'web'], ['list'], ['list', '-o', 'wide'], ['status', 'web'], ['plan', 'web']])
    all.push(await type(...line))
  return all.map(({ out, err }) => out + err).join('')
}

describe('the client and policies that are not published', () => {
  const silent = published(`${POLICY}\npublish: false`)
  const DENIALS = /nothing enables it|not enabled|unmanaged|not managed by|left out|nothing by itself/

  const UNPUBLISHED = "the service's policies are not published"

  for (const [what, data, why] of [
    ['the service keeps them to itself', silent, UNPUBLISHED],
    ['an earlier service published none', { version: '1.0.0', timezone: 'UTC' }, UNPUBLISHED],
    ['nothing is published', undefined, "the service's settings are not published"],
  ] as const)
    it(`says unknown, and denies nothing, where ${what}`, async () => {
      const said = await answers(data)
      expect(said).to.not.match(DENIALS)
      expect(said).to.match(new RegExp(`web +deployment +unknown +2/2 +unknown +${why}$`, 'm'))
      expect(said).to.include('deployment shop/web is perhaps managed by Dormouse: 2 of 2 replicas ready')
      expect(said).to.match(new RegExp(`because +unknown: ${why}`))
      expect(said).to.include(`deployment shop/web: unknown: ${why}\n`)
      expect(said).to.match(/to ask the service +kubectl dormouse snooze deploy\/web --dry-run/)
    })

  it('names the reason that the service gives', async () => {
    const { err } = await person(silent).type('why', 'web')
    expect(err).to.include("the service's policies are not published (publish: false)")
  })

  it('asks the service about each in bulk: none is left out', async () => {
    const { type, patches } = person(silent)
    const { out, err, code } = await type('snooze', '--all', '--yes')
    expect({ code, out }).to.deep.equal({ code: 0, out: 'deployment.apps/web: put to sleep\n' })
    expect(err).to.not.include('left out')
    expect(patches).to.have.length(1)
    const { err: question } = await type('snooze', '--all')
    expect(question).to.include('1 workload (1 perhaps not managed)')
  })

  it('leaves hours that only a policy could give unknown, and what is set nearer as it is', async () => {
    const enabled = { [ANNOTATION.enabled]: 'true' }
    const said = await answers(silent, enabled)
    expect(said).to.include(`awake; its hours are not known here: ${UNPUBLISHED}`)
    expect(said).to.not.match(/of policy unknown|invalid/)
    expect(said).to.match(/next +unknown/)
    expect(said).to.include(`deployment shop/web: unknown: ${UNPUBLISHED}\n`)
    const own = await answers(silent, { ...enabled, [ANNOTATION.schedule]: '8:00-18:00' })
    expect(own).to.match(/it is put to sleep 19:00/)
    expect(await answers(silent, { [ANNOTATION.enabled]: 'false' })).to.match(/unmanaged .* disabled$/m)
  })

  it('calls hours unknown, not invalid, where the person may not read the settings, or nobody publishes them', async () => {
    const asked = { want: 'awake', at: NOW - 60_000, by: 'k8s:ann', trigger: 'api', before: 'awake' } as const
    const { state } = encodeState({ ...EMPTY_STATE, kind: 'deployments', counter: 1, intent: asked })
    for (const [answer, why] of [
      [status(403, 'forbidden'), "you may not read the service's settings"],
      [status(404, 'not found'), "the service's settings are not published"],
    ] as const) {
      const object = aDeployment({ [ANNOTATION.enabled]: 'true', [ANNOTATION.state]: state })
      const { dormouse } = over((request) =>
        request.path === SETTINGS ? answer : reads(request, undefined, object),
      )
      const { out } = await typed(['why', 'web'], { over: dormouse })
      expect(out).to.include(`awake by request of ann; its hours are not known here: ${why}`)
      expect(out).to.not.include('invalid')
    }
  })

  it('does not deny what a Namespace may set that the person may not read', async () => {
    const data = published("policies: [{ name: dev, namespaces: { selector: 'env=dev' }, enabled: true }]")
    const { dormouse } = over((request) =>
      request.path === NAMESPACE ? status(403, 'forbidden') : reads(request, data),
    )
    const { out, err } = await typed(['why', 'web'], { over: dormouse })
    expect(out).to.match(/because +unknown: you may not read the namespace/)
    expect(err).to.equal(
      'note: you may not read the namespace, so what it sets for its workloads is not shown\n',
    )
    const { out: listed } = await typed(['list'], { over: dormouse })
    expect(listed).to.match(/web +deployment +unknown +2\/2 +unknown +you may not read the namespace$/m)
  })

  it('says so in the console over a kubeconfig, too', async () => {
    const record = await consoleShows(over((request) => reads(request, silent)).dormouse)
    expect(record.reason).to.match(/^unknown: the service's policies are not published/)
    expect(shownByPage(record)).to.equal('unknown')
    const managed = aDeployment({ [ANNOTATION.enabled]: 'true' })
    const enabled = await consoleShows(over((request) => reads(request, silent, managed)).dormouse)
    expect([shownByPage(enabled), hasUnknownHours(enabled)]).to.deep.equal(['awake', true])
  })

  it('knows all where they are published, and then denies what is so', async () => {
    const said = await answers(published(POLICY))
    expect(said).to.include('of policy dev').and.not.include('unknown').and.not.include('note:')
    expect(await answers(published('')))
      .to.include('nothing enables it')
      .and.not.include('note:')
  })
})

describe('the client and dates of calendars', () => {
  const managed = {
    [ANNOTATION.enabled]: 'true',
    [ANNOTATION.schedule]: '8:00-18:00,Mon-Fri',
    [ANNOTATION.calendar]: 'de',
  }

  it('goes by them where they are published', async () => {
    const { out, err } = await person(published(HOLIDAY), managed).type('plan', 'web', '--hours', '72')
    expect(err).to.equal('')
    expect(out)
      .to.match(/Mon .*19:00/)
      .and.to.match(/Wed .*9:00/)
      .and.to.not.match(/Tue /)
  })

  it('notes that they are unknown where one could change something shown, and nowhere else', async () => {
    const silent = published(`${HOLIDAY}\npublish: false`)
    const { type } = person(silent, managed)
    const note = 'the dates of calendar de are known to the service alone (publish: false)'
    expect((await type('plan', 'web')).err).to.include(note)
    expect((await person(silent, managed).type('list')).err).to.include(note)
    for (const line of [
      ['list', '-o', 'name'],
      ['status', 'web', '-o', 'name'],
      ['wake', 'web'],
    ])
      expect((await person(silent, managed).type(...line)).err, line.join(' ')).to.equal('')
    for (const annotations of [
      { ...managed, [ANNOTATION.enabled]: 'false' },
      { [ANNOTATION.enabled]: 'true', [ANNOTATION.calendar]: 'de' },
    ])
      expect((await person(silent, annotations).type('list')).err).to.equal('')
  })
})

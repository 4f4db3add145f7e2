import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { lockOfProject, productionPackages } from '../../dependencies/lock.ts'
import { headlampPlugin } from '../../packaging/headlamp.ts'
import type { Column, Item } from '../../src/headlamp/host.ts'
import { eventually } from '../support/eventually.ts'
import { at } from '../support/rules.ts'
import { folderOfSuite } from '../support/temporary-folder.ts'
import { aDeployment, type AWorkload } from '../support/workloads.ts'
import { FakeHeadlamp, type Requested } from './fake-headlamp.ts'
import { itemOf } from './items.ts'

const NOW = at('Mon 20:00')
const HEADLAMPS = ['name', 'namespace', 'cluster', 'labels', 'age']
const PATH = '/apis/apps/v1/namespaces/shop/deployments/web'

const awake = aDeployment().withReplicas(3).enabled().scheduled('8:00-18:00,Mon-Fri', 'Europe/Berlin')
const asleep = awake.snoozed({ at: at('Mon 17:00'), by: 'k8s:ann', trigger: 'api' })

/** The API server's answer with this object. */
function answered(workload: AWorkload, warnings: readonly string[] = []): Response {
  const { jsonData } = itemOf(workload)
  const headers = new Headers()
  for (const warning of warnings) headers.append('Warning', `299 - ${JSON.stringify(warning)}`)
  return Response.json(jsonData, { headers })
}

describe('the plugin for Headlamp, as it is released', function () {
  this.timeout(60_000)
  const made = folderOfSuite()
  let plugin: string
  let page: FakeHeadlamp

  before(async () => {
    await headlampPlugin(made('.'))
    plugin = await readFile(made('main.js'), 'utf8')
  })
  beforeEach(() => {
    page = new FakeHeadlamp(plugin, NOW)
  })
  afterEach(() => {
    page.close()
    expect(page.complaints).to.deep.equal([])
  })

  const read = async (name: string) => await readFile(made(name), 'utf8')

  it('has a name, a version and the version of Headlamp’s API, without which Headlamp loads no plugin', async () => {
    const { name, version, devDependencies } = JSON.parse(await read('package.json')) as {
      name: string
      version: string
      devDependencies: Record<string, string>
    }
    const project = JSON.parse(await readFile('package.json', 'utf8')) as { version: string }
    expect({ name, version }).to.deep.equal({ name: 'headlamp-dormouse', version: project.version })
    expect(devDependencies['@kinvolk/headlamp-plugin']).to.match(/^\^0\.\d+\.\d+$/)
  })

  it('has the licences of what is in it, and nothing of the packages of development', async () => {
    const production = new Set(productionPackages(await lockOfProject()).map(({ name }) => name))
    const named = [...(await read('LICENSES.txt')).matchAll(/^(\S+) \d+\.\S+ \([^)]*\)$/gm)]
    const names = named.map(([, name = '']) => name)
    expect(names).to.include.members(['ajv', 'luxon'])
    expect(names.filter((name) => !production.has(name))).to.deep.equal([])
    // React, and all that is Headlamp's, comes from Headlamp.
    expect(plugin.length).to.be.below(420_000)
  })

  describe('in tables', () => {
    const columns = (id: string) => page.columnsOf(id, HEADLAMPS)
    const own = () =>
      columns('headlamp-deployments').filter((each): each is Column => typeof each !== 'string')

    it('adds two columns behind those that identify a row, to tables of workloads alone', () => {
      for (const id of ['deployments', 'statefulsets', 'daemonsets', 'cronjobs', 'workloads']) {
        const ids = columns(`headlamp-${id}`).map((each) => (typeof each === 'string' ? each : each.id))
        const [first, ...rest] = ['dormouse-state', 'dormouse-next', 'labels', 'age']
        expect(ids).to.deep.equal(['name', 'namespace', 'cluster', first, ...rest])
      }
      expect(columns('headlamp-pods')).to.deep.equal(HEADLAMPS)
    })

    it('shows state and next change, and nothing where Dormouse has left nothing', () => {
      const cells = (workload: AWorkload) => {
        page.draw(...own().map(({ render }) => render(itemOf(workload))))
        return page.texts('main')[0]
      }
      expect(cells(asleep)).to.match(/^asleepwakes tomorrow, \d{1,2}:\d\d$/)
      expect(cells(aDeployment())).to.equal('')
    })

    it('sorts by the word and by the time', () => {
      const [state, next] = own().map(({ getValue }) => getValue(itemOf(asleep)))
      expect(state).to.equal('asleep')
      expect(next).to.equal('2026-03-03T07:00:00.000Z')
      expect(own().map(({ getValue }) => getValue(itemOf(aDeployment())))).to.deep.equal(['', ''])
    })
  })

  describe('in the detail page', () => {
    it('shows state, reason, replicas, schedule, the next change and the last operations', () => {
      page.open(itemOf(asleep))
      expect(page.facts).to.include({
        State: 'asleep',
        Replicas: '0; 3 are kept and come back',
        Schedule: '8:00-18:00,Mon-Fri (Europe/Berlin)',
      })
      expect(page.facts['Why']).to.match(/^asleep by request of ann; wakes tomorrow, \d{1,2}:\d\d$/)
      expect(page.facts['Next']).to.match(/^wakes tomorrow, \d{1,2}:\d\d$/)
      const [what, who, cause, when, result] = page.texts('td')
      expect([what, who, cause, result]).to.deep.equal(['Put to sleep', 'ann', 'on request', 'succeeded'])
      expect(when).to.match(/^\d{1,2}:\d\d$/)
      expect(page.texts('section[aria-label=Dormouse]')).to.have.length(1)
    })

    it('shows the schedule of the object whose zone is unknown, and leaves out what it has not', () => {
      page.open(itemOf(awake.annotated({ timezone: undefined })))
      expect(page.facts).to.include({ Schedule: '8:00-18:00,Mon-Fri', Next: 'not known here' })
      page.open(itemOf(aDeployment().annotated({ enabled: 'false' })))
      expect(Object.keys(page.facts)).to.deep.equal(['State', 'Why', 'Replicas'])
      expect(page.texts('p')).to.deep.equal(['Dormouse never put it to sleep or woke it'])
    })

    it('has no section for what is not Dormouse’s, nor while Headlamp still reads', () => {
      for (const item of [itemOf(aDeployment()), null]) {
        page.open(item)
        expect(page.texts('section')).to.deep.equal([])
      }
    })

    it('has the buttons of its state, and none for those who may not patch it', () => {
      const buttons = (workload: AWorkload) => {
        page.open(itemOf(workload))
        return page.texts('button')
      }
      expect(buttons(asleep)).to.deep.equal(['Wake 4 h', 'Pin'])
      expect(buttons(awake)).to.deep.equal(['Awake 4 h', 'Snooze', 'Pin'])
      expect(buttons(awake.overridden())).to.deep.equal(['Awake 4 h', 'Snooze', 'Resume schedule', 'Pin'])
      expect(buttons(awake.pinned())).to.deep.equal(['Unpin'])
      expect(buttons(awake.annotated({ state: '{' }))).to.deep.equal(['Repair'])
      expect(buttons(awake.annotated({ enabled: 'false' }))).to.deep.equal([])
      page.mayPatch = false
      expect(buttons(asleep)).to.deep.equal([])
    })
  })

  it('says of a released cluster by whom and since when, and what ends it, and so do its buttons', async () => {
    const released = JSON.stringify({ by: 'k8s:carl', since: '2026-03-02T19:37:00Z' })
    page.published = () => Promise.resolve(Response.json({ data: { format: '1', released } }))
    page.open(itemOf(asleep))
    const said = await eventually('an alert', () => page.texts('[role=alert]')[0])
    expect(said).to.match(
      /^Released by carl since \d\d?:37: nothing is automatic. Whoever runs Dormouse ends that: dormouse release --undo$/,
    )
    expect(page.texts('button[title^="released by carl"]')).to.deep.equal(['Wake 4 h', 'Pin'])
  })

  describe('a button', () => {
    const bodyOf = ({ params }: Requested) => JSON.parse(String(params['body'])) as object
    const asking = (text: string | null) => ({ metadata: { annotations: { 'dormouse.dev/request': text } } })
    /** Presses it, and resolves with what the page says of it. */
    const press = async (label: string, answer: () => Promise<Response>, item: Item = itemOf(asleep)) => {
      page.answer = answer
      page.open(null)
      page.open(item)
      return await page.pressed(label)
    }

    it('writes the request onto the object, as its user and in its cluster, and shows what Dormouse answers', async () => {
      const warnings = [
        'Dormouse: woken, 3 replicas: awake by request of k8s:ann; sleeps 2026-03-02T20:30:00Z',
        'a "second"',
      ]
      const said = await press('Wake 4 h', () => Promise.resolve(answered(awake, warnings)))
      expect(said).to.match(
        /^Dormouse: woken, 3 replicas: awake by request of ann; sleeps \d{1,2}:\d\d a "second"$/,
      )
      const [{ path, params, query }] = page.requests as [Requested]
      expect({ path, query }).to.deep.equal({ path: PATH, query: { fieldManager: 'headlamp-dormouse' } })
      expect(params).to.include({ method: 'PATCH', cluster: 'dev', isJSON: false })
      expect(params['headers']).to.deep.equal({ 'Content-Type': 'application/merge-patch+json' })
      expect(page.requests.map(bodyOf)).to.deep.equal([asking('wake 4h')])
    })

    it('asks for what it says', async () => {
      const texts = { Snooze: 'snooze', Pin: 'pin', 'Resume schedule': 'resume', 'Awake 4 h': 'wake 4h' }
      for (const label of Object.keys(texts))
        await press(label, () => Promise.resolve(answered(awake)), itemOf(awake.overridden()))
      await press('Unpin', () => Promise.resolve(answered(awake)), itemOf(awake.pinned()))
      await press('Repair', () => Promise.resolve(answered(awake)), itemOf(awake.annotated({ state: '{' })))
      expect(page.requests.map(bodyOf)).to.deep.equal(
        [...Object.values(texts), 'unpin', 'repair'].map(asking),
      )
    })

    it('points to the state where the page may not read Dormouse’s answer', async () => {
      expect(await press('Wake 4 h', () => Promise.resolve(answered(awake)))).to.equal(
        'Done: the state above follows',
      )
    })

    it('shows why the cluster refuses, or that it does not answer', async () => {
      const refusal = 'deployments.apps "web" is forbidden: User "ann" cannot patch resource "deployments"'
      for (const [failure, said] of [
        [`Forbidden - ${refusal}`, refusal],
        [` - ${refusal}`, refusal],
        ['Unreachable', 'Unreachable'],
      ] as const)
        expect(await press('Pin', () => Promise.reject(new Error(failure)))).to.equal(`Not done: ${said}`)
    })

    it('takes no second press while it waits', async () => {
      let release: (response: Response) => void = () => undefined
      const waiting = new Promise<Response>((resolve) => (release = resolve))
      const said = press('Pin', () => waiting)
      await eventually('both buttons are off', () => page.texts('button:disabled').length === 2)
      expect(page.texts('[role=status]')).to.deep.equal(['Asking Dormouse…'])
      release(answered(asleep.pinned()))
      await said
      expect(page.texts('button:disabled')).to.deep.equal([])
    })

    it('says nothing of the workload that was open before', async () => {
      await press('Pin', () => Promise.resolve(answered(asleep.pinned())))
      page.open(itemOf(aDeployment('shop/api').enabled().scheduled('8:00-18:00', 'UTC')))
      expect(page.texts('[role=status]')).to.deep.equal([''])
    })
  })
})

import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { allDay, icsOf } from '../service/calendars/ics-text.ts'
import type { Client } from '../control-plane/client.ts'
import { describeOn } from '../support/clusters.ts'
import { programEnvironment, PROJECT } from '../support/dormouse.ts'
import { eventually } from '../support/eventually.ts'
import { runProgram } from '../support/kubectl.ts'
import { defineKind, mayManage, mayNoLongerManage, undefineKind } from '../support/custom-kinds.ts'
import { served } from '../support/served.ts'

const CLIENT = join(PROJECT, 'src', 'cli', 'people', 'main.ts')
const PUBLISHED = '/api/v1/namespaces/kube-public/configmaps/dormouse'
const GROUP = 'published.example.com'
const GEARS = `gears.${GROUP}`
const GEAR = { group: GROUP, plural: 'gears', kind: 'Gear', countPath: '.spec.replicas' }

const DAY = 24 * 3_600_000
/** `20261224`, of today or so many days later. */
const dateIn = (days: number) => new Date(Date.now() + days * DAY).toISOString().slice(0, 10)
const holidays = (...days: number[]) => icsOf(...days.map((day) => allDay(dateIn(day).replaceAll('-', ''))))

async function published(admin: Client) {
  const { metadata, data = {} } = (await admin.expect('GET', PUBLISHED)) as unknown as {
    metadata: { resourceVersion: string }
    data?: Record<string, string>
  }
  return { data, version: metadata.resourceVersion }
}

describeOn('what is published for clients', function (on) {
  this.timeout(180_000)
  const directory = mkdtempSync(join(tmpdir(), 'dormouse-published-'))
  const file = join(directory, 'company.ics')

  after(() => rmSync(directory, { recursive: true, force: true }))

  before('a calendar with a holiday', () => writeFile(file, holidays(2)))

  before('a kind of its own, and nothing published', async () => {
    await defineKind(on(), GEAR)
    await mayManage(on(), GROUP)
    await on().admin.expect('PATCH', PUBLISHED, { data: null })
  })

  const here = served(on, {
    newWorkloadGrace: '0s',
    timezone: 'Asia/Tokyo',
    kinds: [{ resource: GEARS }],
    excludeNamespaces: ['vault'],
    calendars: { company: { files: [file], dates: { [dateIn(4)]: '9:00-14:00' } } },
    console: { url: 'https://dormouse.example.com/console/' },
  })

  after(async () => {
    await mayNoLongerManage(on(), GROUP)
    await undefineKind(on(), GEAR)
    await on().admin.send('PATCH', PUBLISHED, { data: null })
  })

  const filled = () =>
    eventually('the leader to publish', async () => {
      const { data, version } = await published(on().admin)
      return data['timezone'] === 'Asia/Tokyo' && { data, version }
    })

  it('is written by the leader into the ConfigMap of kube-public', async () => {
    const { data } = await filled()
    expect(Object.keys(data)).to.have.members([
      'format',
      'version',
      'zoneData',
      'timezone',
      'rules',
      'wakeOrderTimeout',
      'kinds',
      'owners',
      'excludeNamespaces',
      'policies',
      'calendars',
      'console',
    ])
    expect(JSON.parse(data['calendars'] ?? '')).to.deep.equal({
      company: { dates: { [dateIn(4)]: '9:00-14:00' }, days: { [dateIn(2)]: '' } },
    })
    expect(data['version']).to.match(/^\d+\.\d+\.\d+/)
    expect(JSON.parse(data['kinds'] ?? '')).to.deep.equal([{ resource: GEARS }])
    expect(JSON.parse(data['excludeNamespaces'] ?? '')).to.include.members(['kube-system', 'vault'])
    expect(data['console']).to.equal('https://dormouse.example.com/console/')
  })

  it('follows the file of a calendar, without another leader', async () => {
    await writeFile(file, holidays(2, 5))
    await eventually('the ConfigMap to have the new dates', async () =>
      (await published(on().admin)).data['calendars']?.includes(`"${dateIn(5)}":""`),
    )
  })

  it('is not stored again by the next leader, and put right by it where somebody changed it', async () => {
    const { version } = await filled()
    const restarted = async () => {
      const since = Date.now()
      await here.dormouse.terminate()
      await here.dormouse.start()
      await eventually('the next leader to publish', async () =>
        (await on().requestsSince(since)).some(
          ({ verb, url }) => verb === 'write' && url.startsWith(PUBLISHED),
        ),
      )
    }
    await restarted()
    expect((await filled()).version).to.equal(version)
    await on().admin.expect('PATCH', PUBLISHED, {
      // As after a newer version that was rolled back.
      data: { timezone: 'UTC', console: null, unpublished: '{}', terms: '[]' },
    })
    await restarted()
    const { data } = await filled()
    expect(data['console']).to.equal('https://dormouse.example.com/console/')
    expect(data).to.not.have.any.keys('unpublished', 'terms')
  })

  describe('where there is no ConfigMap', () => {
    const FAILED = 'the settings for clients could not be published in the ConfigMap dormouse of kube-public'
    let labels: unknown

    before('as from a checkout, and a workload that Dormouse has written to', async () => {
      await here.asleep('deployments', 'written')
      ;({ labels } = (await on().admin.expect('GET', PUBLISHED)).metadata as { labels?: unknown })
      await on().admin.expect('DELETE', PUBLISHED)
      await here.dormouse.terminate()
      await here.dormouse.start()
    })

    after(async () => {
      const { status } = await on().admin.send('GET', PUBLISHED)
      const [path = ''] = PUBLISHED.split(/\/dormouse$/)
      if (status === 404) await on().admin.expect('POST', path, { metadata: { name: 'dormouse' } })
      if (labels !== undefined) await on().admin.expect('PATCH', PUBLISHED, { metadata: { labels } })
    })

    it('the log says what creates it, in one line, and the client what it does not know', async () => {
      const line = await eventually('the log to say so', async () =>
        here.dormouse.log.find(({ msg }) => msg === FAILED),
      )
      expect(line).to.include({ level: 'warn' }).and.not.have.property('err')
      expect(line['advice']).to.include('kubectl create configmap dormouse -n kube-public')
      const { stdout, stderr } = await client(on().adminKubeconfig, 'list', '-n', here.namespace)
      expect(stderr)
        .to.include("the service's settings are not known: there is no filled ConfigMap dormouse")
        .and.not.include('may not be installed')
      expect(stdout)
        .to.match(/written +deployment +asleep/)
        .and.not.match(/not enabled|unmanaged/)
    })

    it('that command, and another start, is all that it takes', async () => {
      const [, ...command] = /kubectl (create configmap \S+ -n \S+)/.exec(
        String(here.dormouse.log.findLast(({ msg }) => msg === FAILED)?.['advice']),
      ) ?? ['', '']
      await on().kubectl(...command.join(' ').split(' '))
      await here.dormouse.terminate()
      await here.dormouse.start()
      await filled()
    })
  })

  it('and nothing else of kube-public may be read by an ordinary person, nor may that be changed', async function () {
    const other = PUBLISHED.replace(/dormouse$/, `other-${here.namespace}`)
    const metadata = { name: `other-${here.namespace}` }
    await on().admin.expect('POST', PUBLISHED.replace(/\/dormouse$/, ''), { metadata })
    try {
      const kubeconfig = (await on().personKubeconfig?.('emil')) ?? ''
      const can = async (...args: string[]) => {
        const own = [`--kubeconfig=${kubeconfig}`, '-n', 'kube-public']
        const { code, stderr } = await runProgram('kubectl', [...own, ...args], { env: programEnvironment() })
        if (code !== 0) expect(stderr).to.match(/forbidden/i)
        return code === 0
      }
      expect(await can('get', 'configmap', 'dormouse'), 'get it').to.equal(true)
      expect(await can('get', 'configmap', metadata.name), 'get another').to.equal(false)
      expect(await can('get', 'configmaps'), 'list').to.equal(false)
      expect(await can('annotate', 'configmap', 'dormouse', 'a=b'), 'change it').to.equal(false)
      expect(await can('delete', 'configmap', 'dormouse'), 'delete it').to.equal(false)
    } finally {
      await on().admin.send('DELETE', other)
    }
  })

  function client(kubeconfig: string, ...args: string[]) {
    const env = { ...programEnvironment(), KUBECONFIG: kubeconfig }
    return runProgram(process.execPath, [CLIENT, ...args], { cwd: PROJECT, env })
  }
})

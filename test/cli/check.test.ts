import { writeFile } from 'node:fs/promises'
import { expect } from 'chai'
import { request } from 'undici'
import { stringify } from 'yaml'
import type { Forecast } from '../../src/domain/records/forecast.ts'
import { SandboxCluster } from '../../src/sandbox/sandbox.ts'
import { ANNOTATION } from '../../src/domain/workload/workload.ts'
import { runDormouse } from '../support/dormouse.ts'
import { manifest } from '../support/manifests.ts'
import { callCheck } from './checking.ts'
import { icsOf } from '../service/calendars/ics-text.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const POLICY = {
  name: 'dev',
  namespaces: { names: ['default'] },
  enabled: true,
  schedule: '1:00-2:00',
}

describe('dormouse check', () => {
  const at = temporaryFolder()

  const file = () => at('config.yaml')

  it('says that a configuration is valid', async () => {
    await writeFile(file(), JSON.stringify({ policies: [POLICY] }))
    expect(await callCheck(file())).to.deep.equal({
      code: 0,
      out: `${file()} is valid: 1 policy, 0 calendars; zone data ${process.versions['tz']}\n`,
      err: '',
    })
  })

  it('ends with 2 at an invalid one, as serve does, and names each fault with its place', async () => {
    await writeFile(file(), 'policies:\n  - name: dev\n    namespaces: {names: [a]}\n    schedule: 8-18\n')
    const { code, out, err } = await callCheck(file())
    expect({ code, out }).to.deep.equal({ code: 2, out: '' })
    expect(err).to.contain('config.yaml:4:').and.to.contain('/policies/0/schedule')
  })

  it('reads the configuration in a rendered chart, among its other objects', async () => {
    const text = (schedule: string) => JSON.stringify({ policies: [{ ...POLICY, schedule }] })
    const other = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'calendars' },
      data: { 'a.ics': '' },
    }
    const chart = (schedule: string) =>
      [other, { kind: 'ConfigMap', data: { 'config.yaml': text(schedule) } }, { kind: 'Service' }]
        .map((object) => `---\n${stringify(object)}`)
        .join('')
    await writeFile(file(), chart('8:00-18:00'))
    expect(await callCheck(file())).to.include({
      code: 0,
      out: `${file()} is valid: 1 policy, 0 calendars; zone data ${process.versions['tz']}\n`,
    })
    await writeFile(file(), chart('8:00-8:00'))
    const { code, err } = await callCheck(file())
    expect(code).to.equal(2)
    expect(err).to.contain('/policies/0/schedule')
  })

  it("calls the chart's values what they are, and names no key of them unknown", async () => {
    await writeFile(file(), 'config:\n  timezone: Europe/Berlin\n')
    const { code, err } = await callCheck(file())
    expect(code).to.equal(2)
    expect(err).to.equal(
      `error: ${file()}: these are values of the chart: check what it makes of them, by helm template … -f values.yaml | dormouse check -\n`,
    )
  })

  it('reads standard input as -', async () => {
    const input = JSON.stringify({ policies: [POLICY] })
    const { code, stdout, stderr } = await runDormouse(['check', '-'], { input })
    expect(code, stderr).to.equal(0)
    expect(stdout).to.match(/^standard input is valid: 1 policy, 0 calendars; zone data /)
  })

  it('ends with 2 where nothing comes by standard input, as from a Helm that refuses the values', async () => {
    const { code, stdout, stderr } = await runDormouse(['check', '-'], { input: '\n' })
    expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' })
    expect(stderr).to.match(/^error: standard input is empty: /)
  })

  it('ends with 2 where it is called wrongly', async () => {
    expect((await callCheck()).code).to.equal(2)
    const { code, err } = await callCheck(file(), '--at', 'soon')
    expect(code).to.equal(2)
    expect(err).to.match(/^error: --at: expected a time such as 18:00, 'mon 8:00'.* found 'soon'\n$/)
    expect((await callCheck(at('none.yaml'))).code).to.equal(2)
    expect((await callCheck(file(), '--output', 'xml')).code).to.equal(2)
  })

  it('warns of a policy that manages every namespace, unless it chooses among them', async () => {
    const all = { ...POLICY, namespaces: { names: ['*'] } }
    const warned = async (policy: object) => {
      await writeFile(file(), JSON.stringify({ policies: [policy] }))
      return (await callCheck(file())).err
    }
    expect(await warned(all)).to.match(
      /^warning: policy dev manages every namespace but the excluded ones: ingress/,
    )
    for (const narrower of [
      { ...all, namespaces: { names: ['*'], selector: 'env=dev' } },
      { ...all, workloads: { selector: 'tier!=infra' } },
      { ...all, namespaces: { names: ['team-*'] } },
      { ...all, enabled: null },
    ])
      expect(await warned(narrower), JSON.stringify(narrower)).to.equal('')
  })

  it('warns of a calendar whose file cannot be read here', async () => {
    const calendars = { company: { files: [at('none.ics')] } }
    await writeFile(file(), JSON.stringify({ calendars }))
    const { code, err } = await callCheck(file())
    expect(code).to.equal(0)
    expect(err).to.match(/^warning: calendar company: .*none\.ics/)
  })

  it('warns of what of a calendar file does not count', async () => {
    const meeting = 'BEGIN:VEVENT\r\nSUMMARY:Meeting\r\nDTSTART:20260504T090000Z\r\nEND:VEVENT'
    await writeFile(at('a.ics'), icsOf(meeting))
    await writeFile(file(), JSON.stringify({ calendars: { company: { files: [at('a.ics')] } } }))
    const { code, err } = await callCheck(file())
    expect(code).to.equal(0)
    const warning = (what: string) => `warning: calendar company: ${at('a.ics')}: ${what}\n`
    expect(err).to.equal(
      warning('1 event has times of day and does not count') +
        warning('none of its events counts for any date of this year or the next two'),
    )
  })

  describe('--against-cluster', () => {
    let sandbox: SandboxCluster

    beforeEach(async () => {
      const clock = () => Date.now()
      sandbox = new SandboxCluster({ port: 0, clock, readyAfterMs: 10, onRequest: () => {} })
      await sandbox.start()
      await writeFile(at('kubeconfig'), sandbox.kubeconfig())
      await create(manifest('deployments', 'web'))
    })

    const create = (object: object) =>
      request(`${sandbox.url}/apis/apps/v1/namespaces/default/deployments`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(object),
      })

    afterEach(() => sandbox.stop())

    const against = (...args: string[]) =>
      callCheck(file(), '--against-cluster', '--kubeconfig', at('kubeconfig'), ...args)

    it('prints what would be managed, and why; ends with 1 where it found what has to be put right, in numbers', async () => {
      await writeFile(file(), JSON.stringify({ policies: [POLICY] }))
      await create(manifest('deployments', 'mistyped', { annotations: { [ANNOTATION.schedule]: '8-18' } }))
      const { code, out, err } = await against()
      expect(out).to.contain('  deployments/default/mistyped: dormouse.dev/schedule: ')
      expect(out).to.contain('2 workloads: 2 managed, 0 not managed, 0 in excluded namespaces\n')
      expect(out).to.match(/\ndefault\n[^]* {2}stays awake {2}deployment web +by policy dev {2}awake: new/)
      expect({ code, err }).to.deep.equal({
        code: 1,
        err: `cluster ${new URL(sandbox.url).origin} (context dormouse-sandbox)\nerror: found 1 invalid setting\n`,
      })
    })

    it('foretells a later time, of which the week and its money are, without --against-cluster being typed', async () => {
      const prices = { currency: 'EUR', cpu: 0.031, memory: 0.004 }
      await writeFile(file(), JSON.stringify({ policies: [POLICY], savings: { prices } }))
      const later = ['--at', new Date(Date.now() + 26 * 3_600_000).toISOString()]
      const args = [file(), '--kubeconfig', at('kubeconfig'), ...later]
      const { out } = await callCheck(...args, '--output', 'json')
      const { cluster } = JSON.parse(out) as { cluster: Pick<Forecast, 'week' | 'counts'> & { at: string } }
      expect(cluster.at).to.equal(later[1])
      expect(cluster.counts).to.include({ workloads: 1, managed: 1 })
      // Awake 1:00-2:00.
      expect(cluster.week.total).to.deep.include({ workloads: 1, hoursAsleep: 161 })
      expect(cluster.week.total.saved.money?.currency).to.equal('EUR')
      expect((await callCheck(...args)).out).to.include('(requested, not billed):\n  namespace  workloads')
    })
  })
})

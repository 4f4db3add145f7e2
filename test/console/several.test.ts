import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { parse } from 'yaml'
import { freePorts } from '../control-plane/ports.ts'
import { programEnvironment, PROJECT } from '../support/dormouse.ts'
import { endsWithTests } from '../support/running-program.ts'
import { chromiumForTests, chromiumProgram } from './chromium.ts'
import { SandboxConsole } from './sandbox-console.ts'
import { describeWith } from '../suite/need.ts'

interface Kubeconfig {
  clusters: { name: string; cluster: { server: string } }[]
  users: { name: string; user: object }[]
}

describeWith(chromiumProgram, 'the console over several clusters', function (program) {
  this.timeout(180_000)
  const browser = chromiumForTests(program)
  let kubeconfig: string
  const sandboxes: SandboxConsole[] = []

  before('two clusters, and a third that is gone', async () => {
    const [nowhere] = await freePorts(1)
    const parts: Kubeconfig[] = []
    for (const name of ['blue', 'green']) {
      const sandbox = await SandboxConsole.start(name)
      sandboxes.push(sandbox)
      await sandbox.call('POST', 'shop/deployments/web/enable')
      const { clusters, users } = parse(await readFile(sandbox.kubeconfig, 'utf8')) as Kubeconfig
      parts.push({ clusters: [{ ...clusters[0]!, name }], users: [{ ...users[0]!, name }] })
    }
    const gone = { name: 'gone', cluster: { server: `http://127.0.0.1:${nowhere}` } }
    const all = [...parts, { clusters: [gone], users: [{ name: 'gone', user: {} }] }]
    const contexts = ['blue', 'green', 'gone'].map((name) => ({
      name: `arn:aws:eks:eu-west-1:123456789012:cluster/${name}`,
      context: { cluster: name, user: name },
    }))
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: all.flatMap(({ clusters }) => clusters),
      users: all.flatMap(({ users }) => users),
      contexts,
    }
    kubeconfig = join(await mkdtemp(join(tmpdir(), 'dormouse-contexts-')), 'config')
    await writeFile(kubeconfig, JSON.stringify(config))
  })
  after(async () => {
    for (const sandbox of sandboxes) await sandbox.stop()
    if (kubeconfig) await rm(join(kubeconfig, '..'), { recursive: true })
  })

  it('shows each workload with its cluster as its service calls it, names the one that is gone, and acts in the right one', async () => {
    const [blue, green] = sandboxes
    const args = ['console', '--no-open', '--contexts', '*/blue,*/g*', '--kubeconfig', kubeconfig]
    const child = spawn(process.execPath, [`${PROJECT}/src/cli/people/main.ts`, ...args], {
      env: programEnvironment(),
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    endsWithTests(child)
    const [link] = (await once(createInterface(child.stdout), 'line')) as [string]
    const { page, faults } = await browser.open(link)
    await page.locator('.group', { hasText: 'blue / shop' }).waitFor()
    await page.locator('.group', { hasText: 'green / shop' }).waitFor()
    await page.locator('.banner', { hasText: 'gone' }).waitFor()
    expect(await page.title()).to.equal('3 clusters · Dormouse')
    const row = page.locator('.all .row', { has: page.locator('[data-key="green/shop/deployment/web"]') })
    await row.getByRole('button', { name: 'Snooze: web' }).click()
    await row.locator('.state-word', { hasText: 'Asleep' }).waitFor()
    const asleep = async (sandbox?: SandboxConsole) =>
      (await sandbox?.status('shop/deployments/web'))?.['is_snoozed']
    expect([await asleep(blue), await asleep(green)]).to.deep.equal([false, true])
    await page.getByRole('combobox', { name: 'Cluster' }).selectOption('blue')
    await page.locator('.group', { hasText: 'green' }).waitFor({ state: 'detached' })
    expect(faults).to.deep.equal([])
    child.kill('SIGTERM')
    await once(child, 'exit')
  })
})

import { expect } from 'chai'
import { chromiumForTests, chromiumProgram } from '../console/chromium.ts'
import { SandboxConsole } from '../console/sandbox-console.ts'
import { describeWith } from '../suite/need.ts'
import { eventually } from '../support/eventually.ts'

const PREVIEW = 'staging/deployments/preview'

describeWith(chromiumProgram, 'the first minute in the sandbox', function (program) {
  this.timeout(180_000)
  const browser = chromiumForTests(program)
  let sandbox: SandboxConsole
  before(async () => {
    sandbox = await SandboxConsole.start()
    await eventually(
      'the preview to sleep',
      async () => (await sandbox.status(PREVIEW))['phase'] === 'asleep',
    )
  })
  after(() => sandbox.stop())

  it('shows a sleeper that a program does not wake, and a visit does: the page, then the app', async () => {
    await eventually('an answer that is not the app', async () => {
      const answer = await fetch(sandbox.preview, { headers: { 'user-agent': 'kube-probe/1.35' } })
      return answer.status === 503
    })
    expect((await sandbox.status(PREVIEW))['phase']).to.equal('asleep')

    const { page, faults } = await browser.open(sandbox.preview)
    await page.locator('h1', { hasText: 'preview is waking up' }).waitFor()
    await page.locator('h1', { hasText: 'This is the app' }).waitFor()
    expect(page.url()).to.equal(sandbox.preview)
    expect(faults).to.deep.equal([])
    const { phase, operation_history: history } = await sandbox.status(PREVIEW)
    expect(phase).to.equal('awake')
    expect(JSON.stringify(history)).to.include('service/preview:http')

    await sandbox.call('POST', `${PREVIEW}/snooze`)
    await eventually('a page that says so', async () => {
      await page.reload()
      return (await page.locator('h1').textContent())?.includes('preview')
    })
    await page.locator('h1', { hasText: 'This is the app' }).waitFor()
  })
})

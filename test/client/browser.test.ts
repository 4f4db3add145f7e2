import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { openPage } from '../../src/client/browser.ts'
import { chromiumForTests, chromiumProgram } from '../console/chromium.ts'
import { programEnvironment, PROJECT } from '../support/dormouse.ts'
import { eventually } from '../support/eventually.ts'
import { endsWithTests } from '../support/running-program.ts'
import { folderOfSuite } from '../support/temporary-folder.ts'
import { answeringServer } from './answering-server.ts'
import { describeWith } from '../suite/need.ts'

const LINK = 'http://127.0.0.1:4567/console#secret=hush'
const PLATFORMS = { linux: 'xdg-open', darwin: 'open', win32: 'rundll32' } as const

describe('the browser that the console is opened in', function () {
  this.timeout(60_000)
  const at = folderOfSuite()
  let seen = ''

  before('programs that write down what they are started with', async () => {
    seen = at('seen')
    await mkdir(at('tmp'))
    for (const name of Object.values(PLATFORMS))
      await writeFile(
        at(name),
        `#!/bin/sh\nfor last; do :; done\nprintf '%s\\n' "$@" >'${seen}.new'\ncp -p "$last" '${seen}.html'\nmv '${seen}.new' '${seen}'\n`,
        { mode: 0o755 },
      )
  })
  afterEach(() => Promise.all([rm(seen, { force: true }), rm(`${seen}.html`, { force: true })]))

  const environment = () => ({
    ...programEnvironment(),
    PATH: `${at('.')}:${process.env['PATH']}`,
    DISPLAY: ':9',
  })
  const started = () =>
    eventually('the browser to be started', async () => {
      const args = await readFile(seen, 'utf8').catch(() => '')
      return args !== '' && args.trim().split('\n')
    })

  for (const [platform, program] of Object.entries(PLATFORMS))
    it(`is started by ${program} with a file for its owner alone, and no secret among the arguments`, async () => {
      const forget = await openPage(LINK, platform as NodeJS.Platform, environment())
      const args = await started()
      expect(args.join(' ')).to.not.include('hush').and.not.include('4567')
      const file = args.at(-1) ?? ''
      expect((await stat(file)).mode & 0o777).to.equal(0o600)
      expect((await stat(join(file, '..'))).mode & 0o777).to.equal(0o700)
      expect(await readFile(`${seen}.html`, 'utf8')).to.include(`content="0; url=${LINK}"`)
      await forget()
      expect(await stat(join(file, '..')).catch(() => undefined)).to.equal(undefined)
    })

  it('is not looked for without a display, and one that is missing changes nothing', async () => {
    const { DISPLAY: _, WAYLAND_DISPLAY: __, ...blind } = environment() as Record<string, string | undefined>
    await (
      await openPage(LINK, 'linux', blind)
    )()
    await (
      await openPage(LINK, 'linux', { PATH: at('tmp'), DISPLAY: ':9' })
    )()
    expect(await readFile(seen, 'utf8').catch(() => 'nothing')).to.equal('nothing')
  })

  describeWith(chromiumProgram, 'by kubectl dormouse console', (program) => {
    const chromium = chromiumForTests(program)
    const cluster = answeringServer()

    it('signs in; then the file is gone, and a link shown again is told on the terminal', async () => {
      const temporary = at('tmp')
      const child = endsWithTests(
        spawn(
          process.execPath,
          [join(PROJECT, 'src/cli/people/main.ts'), 'console', '--server', cluster.url],
          {
            env: { ...environment(), TMPDIR: temporary, DORMOUSE_TOKEN: 'token' },
          },
        ),
      )
      let err = ''
      child.stderr!.on('data', (chunk: Buffer) => (err += chunk))
      const [link] = (await once(createInterface(child.stdout!), 'line')) as [string]
      const file = (await started()).at(-1) ?? ''
      const { page } = await chromium.open(`file://${file}`)
      await page.waitForURL(/\/console(?:#|\?|$)/)
      await page.getByRole('searchbox').waitFor()
      await eventually('the file to be gone', async () => (await readdir(temporary)).length === 0)
      const { origin, hash } = new URL(link)
      const headers = { 'X-Dormouse-Secret': hash.replace('#secret=', '') }
      const again = await fetch(`${origin}/console/sign-in`, { method: 'POST', headers })
      expect(again.status).to.equal(403)
      await eventually('the terminal to say so', () => err.includes('was shown again'))
      expect(err).to.include('the link signs you in').and.not.include(headers['X-Dormouse-Secret'])
      child.kill('SIGINT')
      expect(await once(child, 'close')).to.deep.equal([0, null])
    })
  })
})

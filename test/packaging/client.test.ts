import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { lockOfProject, productionPackages } from '../../dependencies/lock.ts'
import { BINS, npmPackage } from '../../packaging/client.ts'
import { compiledBy } from '../../packaging/compiled.ts'
import { clientScript, linuxExecutable } from '../../packaging/executable.ts'
import { print } from '../support/figures.ts'
import { kubectl, runProgram } from '../support/kubectl.ts'
import { manifest } from '../support/manifests.ts'
import { endsWithTests, RunningProgram } from '../support/running-program.ts'
import { startSandboxCluster, type StartedCluster } from '../support/sandbox-cluster.ts'
import { describeWith, itWith, moreTime } from '../suite/need.ts'

const PATIENCE = 300_000

describeWith(moreTime, 'what is published of the client', function () {
  this.timeout(PATIENCE)
  let folder: string
  let cluster: StartedCluster
  let kubeconfig: string

  before(async () => {
    // Outside the project: nothing is found in its node_modules.
    folder = await mkdtemp(join(tmpdir(), 'dormouse-client-'))
    cluster = await startSandboxCluster()
    kubeconfig = cluster.adminKubeconfig
    await cluster.create('default', [manifest('deployments', 'web', { replicas: 2 })])
  })

  after(async () => {
    await cluster?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  /** Starts it as a person without the project does; the Node of the tests comes first on the path. */
  function start(program: string, args: readonly string[], bin = '') {
    const path = [bin, dirname(process.execPath), process.env['PATH']].filter(Boolean).join(':')
    const env = { PATH: path, HOME: folder, KUBECONFIG: kubeconfig, TMPDIR: folder }
    return runProgram(program, args, { env, cwd: folder })
  }

  /** It lists workloads, and reports that no Dormouse answers in a cluster without one. */
  async function works(run: (...args: string[]) => ReturnType<typeof runProgram>) {
    const listed = await run('list', '-o', 'name')
    expect(listed, listed.stderr).to.include({ code: 0, stdout: 'deployment.apps/web\n' })
    const woken = await run('wake', 'deploy/web')
    expect(woken.code, woken.stderr).to.equal(1)
    expect(woken.stderr).to.include('Dormouse does not answer')
    expect(await run('wake')).to.include({ code: 2, stdout: '' })
    const read = await cluster.kubectl.json('get', 'deployment', 'web')
    expect(read.metadata.annotations ?? {}).not.to.have.property('dormouse.dev/request')
  }

  /** The page and all that it loads are inside. */
  async function servesConsole(program: string, env: NodeJS.ProcessEnv) {
    const child = endsWithTests(spawn(program, ['console', '--no-open'], { env, cwd: folder }))
    const [line] = (await once(createInterface(child.stdout!), 'line')) as [string]
    await hasPage(new URL(line).origin)
    const ended = once(child, 'close')
    child.kill('SIGINT')
    expect(await ended).to.deep.equal([0, null])
  }

  async function hasPage(origin: string) {
    for (const [name, type] of [
      ['', 'text/html'],
      ['/main.js', 'text/javascript'],
      ['/preact.js', 'text/javascript'],
      ['/style.css', 'text/css'],
    ]) {
      const answer = await fetch(`${origin}/console${name}`)
      expect(answer.status, name).to.equal(200)
      expect(answer.headers.get('Content-Type')).to.include(type)
      expect((await answer.text()).length).to.be.above(200)
    }
  }

  describe('the npm package', () => {
    let bin: string
    let unpacked: string

    before(async () => {
      const made = join(folder, 'made')
      await npmPackage(made)
      const packed = await start('npm', ['pack', made, '--pack-destination', folder, '--json'])
      expect(packed.code, packed.stderr).to.equal(0)
      const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }]
      const empty = join(folder, 'empty')
      await mkdir(empty)
      const archive = join(folder, filename)
      const args = ['install', '--offline', '--no-audit', '--no-fund', '--prefix', empty, archive]
      const installed = await start('npm', args)
      expect(installed.code, installed.stderr).to.equal(0)
      bin = join(empty, 'node_modules', '.bin')
      unpacked = join(empty, 'node_modules', 'kubectl-dormouse')
      expect(await readdir(join(empty, 'node_modules'))).to.have.members([
        '.bin',
        '.package-lock.json',
        'kubectl-dormouse',
      ])
    })

    it('depends on nothing, and has nothing of the packages of development', async () => {
      const manifest = JSON.parse(await readFile(join(unpacked, 'package.json'), 'utf8')) as object
      expect(manifest).not.to.have.any.keys('dependencies', 'devDependencies', 'scripts')
      const licences = await readFile(join(unpacked, 'LICENSES.txt'), 'utf8')
      const production = new Set(productionPackages(await lockOfProject()).map(({ name }) => name))
      const named = [...licences.matchAll(/^(\S+) \d+\.\S+ \([^)]*\)$/gm)].map(([, name = '']) => name)
      expect(named).to.include.members(['commander', 'luxon', 'preact', 'undici'])
      expect(named.filter((name) => !production.has(name))).to.deep.equal([])
    })

    it('has the names of the sources for stack traces, at no cost when a function is made', async () => {
      const lib = join(unpacked, 'lib')
      const files = (await readdir(lib)).filter((name) => name.endsWith('.js'))
      const code = (await Promise.all(files.map((name) => readFile(join(lib, name), 'utf8')))).join('\n')
      expect(code).to.include('ListTable')
      expect(code.match(/"name",\{value:\w+,configurable/g), 'a call for each function').to.equal(null)
    })

    itWith(kubectl, 'is a plugin that kubectl finds', async () => {
      const plugins = await start('kubectl', ['plugin', 'list'], bin)
      expect(plugins.stdout).to.include('/kubectl-dormouse')
      await works((...args) => start('kubectl', ['dormouse', ...args], bin))
      expect((await start('kubectl', ['dormouse', '--help'], bin)).stdout).to.include(
        'Usage: kubectl dormouse',
      )
    })

    itWith(kubectl, 'is completed by kubectl', async () => {
      const { stdout } = await start('kubectl', ['__complete', 'dormouse', 'wake', ''], bin)
      expect(stdout)
        .to.match(/^deploy\/web$/m)
        .and.match(/^:4$/m)
    })

    it('has the console in it', async () => {
      const path = `${dirname(process.execPath)}:${process.env['PATH']}`
      await servesConsole(join(bin, 'kubectl-dormouse'), { PATH: path, HOME: folder, KUBECONFIG: kubeconfig })
    })

    it('has the sandbox in it: from an empty folder, the console opens and a wake works', async () => {
      const elsewhere = join(folder, 'elsewhere')
      await mkdir(elsewhere)
      const ports = ['kube', 'api', 'metrics', 'webhook'].flatMap((name) => [`--${name}-port`, '0'])
      const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: elsewhere, TMPDIR: elsewhere }
      const args = ['sandbox', '--json', ...ports]
      const program = spawn(join(bin, 'kubectl-dormouse'), args, { env, cwd: elsewhere })
      const sandbox = new RunningProgram(endsWithTests(program))
      const { api, token, ...access } =
        await sandbox.ready<Record<'api' | 'token' | 'plugins' | 'kubeconfig' | 'console', string>>()
      expect(new URL(access.console).hash).to.match(/^#secret=./)
      await hasPage(new URL(access.console).origin)
      for (const action of ['snooze', 'wake']) {
        const url = `${api}/api/v1/namespaces/staging/deployments/checkout/${action}`
        const headers = { Authorization: `Bearer ${token}` }
        const answer = await fetch(url, { method: 'POST', headers })
        expect(answer.status, action).to.equal(200)
        expect(await answer.json()).to.include({ success: true })
      }
      const client = join(access.plugins, 'kubectl-dormouse')
      const listed = await runProgram(client, ['list', '-n', 'staging', '-o', 'name'], {
        env: { ...env, KUBECONFIG: access.kubeconfig },
        cwd: elsewhere,
      })
      expect(listed.stdout, listed.stderr).to.include('deployment.apps/checkout\n')
      expect(await sandbox.end('SIGINT')).to.equal(0)
      expect(await readdir(elsewhere)).not.to.include('kubectl-dormouse')
    })

    it('is started by each of its names', async () => {
      for (const name of BINS) {
        const { code, stderr } = await start(join(bin, name), ['list'])
        expect(code, `${name}: ${stderr}`).to.equal(0)
      }
    })
  })

  if (process.platform === 'linux')
    describe('the single executable', () => {
      let program: string

      before(async () => {
        program = join(folder, 'alone', 'kubectl-dormouse')
        await linuxExecutable(process.execPath, program)
      })

      itWith(kubectl, 'starts without Node, and is found by kubectl', async () => {
        const env = { PATH: `${dirname(program)}:/usr/bin:/bin`, HOME: folder, KUBECONFIG: kubeconfig }
        await works((...args) => runProgram('kubectl', ['dormouse', ...args], { env, cwd: folder }))
        const times: number[] = []
        for (let count = 0; count < 5; count += 1) {
          const began = performance.now()
          expect((await runProgram(program, ['--version'], { env: {} })).code).to.equal(0)
          times.push(performance.now() - began)
        }
        const { size } = await stat(program)
        const best = Math.min(...times)
        print([`the executable: ${(size / 1e6).toFixed(0)} MB, starts in ${best.toFixed(0)} ms`])
        expect(best).to.be.below(5000)
      })

      it('has its code with it as V8 compiled that, which is taken for no other text', async () => {
        const client = join(folder, 'client')
        await writeFile(client, await clientScript())
        // In a process of its own: V8's flags have to be the same.
        const tried = `
          const [client, file, more] = process.argv.slice(1)
          const text = fs.readFileSync(client, 'latin1') + more
          console.log(new vm.Script(text, { cachedData: fs.readFileSync(file) }).cachedDataRejected)`
        for (const file of Object.values(await compiledBy(process.execPath, client)))
          for (const [more, isRejected] of [
            ['', 'false'],
            [';', 'true'],
          ] as const) {
            const { stdout, stderr } = await runProgram(process.execPath, ['-e', tried, client, file, more], {
              env: {},
            })
            expect(stdout.trim(), `${file} ${stderr}`).to.equal(isRejected)
          }
      })

      it('has the console in it', () => servesConsole(program, { HOME: folder, KUBECONFIG: kubeconfig }))

      it('reads calendars in the thread that it brings along', async () => {
        const file = join(folder, 'days.ics')
        const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//EN', 'BEGIN:VEVENT', 'UID:1']
        const event = [
          'DTSTAMP:20260101T000000Z',
          'DTSTART;VALUE=DATE:20261225',
          'END:VEVENT',
          'END:VCALENDAR',
        ]
        await writeFile(file, [...lines, ...event, ''].join('\r\n'))
        const config = join(folder, 'config.yaml')
        await writeFile(config, JSON.stringify({ calendars: { days: { files: [file] } } }))
        const { code, stdout, stderr } = await runProgram(program, ['check', config], { env: {} })
        expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
        expect(stdout).to.include('1 calendar')
      })
    })
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { expect } from 'chai'
import { programEnvironment, PROJECT } from '../support/dormouse.ts'
import { eventually } from '../support/eventually.ts'
import { httpServer } from '../support/http-server.ts'
import { folderOfSuite } from '../support/temporary-folder.ts'

describe('a program that is interrupted', function () {
  this.timeout(30_000)
  const silent = httpServer()
  const at = folderOfSuite()

  before(async () => {
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'dev',
      clusters: [{ name: 'dev', cluster: { server: silent.url } }],
      users: [{ name: 'ann', user: { token: 'secret' } }],
      contexts: [{ name: 'dev', context: { cluster: 'dev', user: 'ann' } }],
    }
    await writeFile(at('config'), JSON.stringify(config))
  })

  // Reads end in the adapter, whatever asks; and a command over many asks for no more, whatever the adapter.
  const lines = {
    'the cluster': ['list', 'status deploy/web', 'wake web sts/db'],
    HTTP: ['list', 'plan web', 'wake --all', 'status deploy/a sts/b'],
  }
  for (const [way, some] of Object.entries(lines))
    for (const line of some)
      it(`reads no longer: ${line} over ${way}`, async () => {
        const where = way === 'HTTP' ? ['--server', silent.url] : ['--kubeconfig', at('config')]
        const args = [`${PROJECT}/src/cli/people/main.ts`, ...line.split(' '), '-n', 'shop', ...where]
        const asked = once(silent.server, 'request')
        const child = spawn(process.execPath, args, {
          env: { ...programEnvironment(), DORMOUSE_TOKEN: 'token' },
          stdio: ['ignore', 'ignore', 'pipe'],
        })
        const said: Buffer[] = []
        child.stderr.on('data', (chunk: Buffer) => said.push(chunk))
        await asked
        child.kill('SIGINT')
        const late = setTimeout(() => child.kill('SIGKILL'), 5000)
        const [code] = (await once(child, 'close')) as [number | null]
        clearTimeout(late)
        expect(code).to.equal(130)
        expect(Buffer.concat(said).toString()).to.not.include('error:')
      })

  for (const line of ['list', 'list --contexts *', 'wake deploy/web'])
    it(`waits for no credential plugin that hangs, and leaves none behind: ${line}`, async () => {
      const plugin = at('plugin')
      await rm(plugin, { force: true })
      const exec = {
        apiVersion: 'client.authentication.k8s.io/v1',
        command: 'sh',
        args: ['-c', `echo $$ > ${plugin}.new; mv ${plugin}.new ${plugin}; sleep 1000; true`],
        interactiveMode: 'Never',
      }
      const config = {
        'current-context': 'dev',
        clusters: [{ name: 'dev', cluster: { server: silent.url } }],
        users: [{ name: 'ann', user: { exec } }],
        contexts: [{ name: 'dev', context: { cluster: 'dev', user: 'ann' } }],
      }
      await writeFile(at('hanging'), JSON.stringify(config))
      const args = [`${PROJECT}/src/cli/people/main.ts`, ...line.split(' '), '--kubeconfig', at('hanging')]
      const child = spawn(process.execPath, args, { env: programEnvironment(), stdio: 'ignore' })
      const ended = once(child, 'close') as Promise<[number | null]>
      const pid = await eventually('the plugin', async () => Number(await readFile(plugin, 'utf8')))
      child.kill('SIGINT')
      // It would wait for a minute: the plugin is killed then.
      const late = setTimeout(() => child.kill('SIGKILL'), 20_000)
      const [code] = await ended
      clearTimeout(late)
      expect(code).to.equal(130)
      await eventually('its end', () => {
        expect(() => process.kill(pid, 0)).to.throw('ESRCH')
        return true
      })
    })
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { expect } from 'chai'
import { programEnvironment, PROJECT } from '../support/dormouse.ts'
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
        const args = [`${PROJECT}/src/client/main.ts`, ...line.split(' '), '-n', 'shop', ...where]
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
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { programEnvironment, PROJECT } from '../support/dormouse.ts'
import { httpServer } from '../support/http-server.ts'

describe('a program that is interrupted', function () {
  this.timeout(30_000)
  const silent = httpServer()
  let folder: string

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dormouse-interrupted-'))
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'dev',
      clusters: [{ name: 'dev', cluster: { server: silent.url } }],
      users: [{ name: 'ann', user: { token: 'secret' } }],
      contexts: [{ name: 'dev', context: { cluster: 'dev', user: 'ann' } }],
    }
    await writeFile(join(folder, 'config'), JSON.stringify(config))
  })

  after(() => rm(folder, { recursive: true, force: true }))

  const ways = { 'the cluster': ['--kubeconfig', 'config'], HTTP: ['--server'] }
  for (const [way, [option = '', file]] of Object.entries(ways))
    for (const line of [
      'list',
      'status deploy/web',
      'plan web',
      'wake --all',
      'wake web sts/db',
      'status deploy/a sts/b',
    ])
      it(`reads no longer: ${line} over ${way}`, async () => {
        const at = file === undefined ? silent.url : join(folder, file)
        const args = [`${PROJECT}/src/client/main.ts`, ...line.split(' '), '-n', 'shop', option, at]
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

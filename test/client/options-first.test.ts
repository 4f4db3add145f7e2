import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { programEnvironment, PROJECT } from '../support/dormouse.ts'
import { runProgram } from '../support/kubectl.ts'
import { aRecord } from './fake-dormouse.ts'

describe('options of where and as whom, before the command', function () {
  this.timeout(60_000)
  let server: Server
  let url = ''
  const asked: string[] = []

  before(async () => {
    server = createServer((request, response) => {
      asked.push(request.url ?? '')
      response.end(JSON.stringify({ success: true, message: 'done', data: [aRecord('web').record] }))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })

  after(() => {
    server.close()
    server.closeAllConnections()
  })

  const run = (program: string, ...args: string[]) =>
    runProgram(process.execPath, [join(PROJECT, 'src', program), ...args], {
      env: { ...programEnvironment(), DORMOUSE_TOKEN: 'token', KUBECONFIG: join(PROJECT, 'no-such-file') },
    })

  for (const program of ['client/main.ts', 'main.ts'])
    describe(`of src/${program}`, () => {
      it('are understood as behind it', async () => {
        const { code, stdout, stderr } = await run(
          program,
          '-n',
          'shop',
          '--server',
          url,
          'list',
          '-o',
          'name',
        )
        expect({ code, stdout, stderr }).to.deep.equal({
          code: 0,
          stdout: 'deployment.apps/web\n',
          stderr: '',
        })
        expect(asked.at(-1)).to.include('shop')
        const { stderr: context } = await run(program, '--context', 'x', 'list')
        expect(context).to.include('no-such-file').and.not.include('unknown option')
      })

      it('leave a command that there is not to be named', async () => {
        const { code, stderr } = await run(program, '-n', 'shop', 'lsit')
        expect(code).to.equal(2)
        expect(stderr).to.match(/^error: there is no command 'lsit': did you mean \S+ list\?\n$/)
        expect((await run(program, '-n', 'shop')).stderr).to.include('say what to do there')
      })
    })

  it('are not taken by the commands of the service', async () => {
    const { code, stderr } = await run('main.ts', '--kubeconfig', 'x', 'serve')
    expect(code).to.equal(2)
    expect(stderr).to.include("unknown option '--kubeconfig'")
  })
})

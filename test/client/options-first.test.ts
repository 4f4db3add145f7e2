import { join } from 'node:path'
import { expect } from 'chai'
import { programEnvironment, PROJECT } from '../support/dormouse.ts'
import { runProgram } from '../support/kubectl.ts'
import { answeringServer } from './answering-server.ts'

describe('options of where and as whom, before the command', function () {
  this.timeout(60_000)
  const cluster = answeringServer()

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
          cluster.url,
          'list',
          '-o',
          'name',
        )
        expect({ code, stdout, stderr }).to.deep.equal({
          code: 0,
          stdout: 'deployment.apps/web\n',
          stderr: '',
        })
        expect(cluster.asked.at(-1)).to.include('shop')
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

import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { programEnvironment, PROJECT } from '../support/dormouse.ts'
import { runProgram } from '../support/kubectl.ts'
import { answeringServer } from './answering-server.ts'

describe('options of where and as whom, before the command of the whole program', function () {
  this.timeout(60_000)
  const cluster = answeringServer()

  const run = (...args: string[]) =>
    runProgram(process.execPath, [join(PROJECT, 'src', 'main.ts'), ...args], {
      env: { ...programEnvironment(), DORMOUSE_TOKEN: 'token', KUBECONFIG: join(PROJECT, 'no-such-file') },
    })

  it('are understood as behind it', async () => {
    expect(await run('-n', 'shop', '--server', cluster.url, 'list', '-o', 'name')).to.deep.include({
      code: 0,
      stdout: 'deployment.apps/web\n',
      stderr: '',
    })
    expect(cluster.asked.at(-1)).to.include('shop')
    const { stderr } = await run('--context', 'x', 'list')
    expect(stderr).to.include('no-such-file').and.not.include('unknown option')
  })

  it('leave a command that there is not to be named', async () => {
    const { code, stderr } = await run('-n', 'shop', 'lsit')
    expect(code).to.equal(2)
    expect(stderr).to.match(/^error: there is no command 'lsit': did you mean \S+ list\?\n$/)
    expect((await run('-n', 'shop')).stderr).to.include('say what to do there')
  })

  it('name the command that somebody meant, also to those who know other words: never one of the service', async () => {
    expect((await run('sleep', 'web')).stderr).to.match(/no command 'sleep': did you mean \S+ snooze\?\n$/)
    const folder = await mkdtemp(join(tmpdir(), 'dormouse-plugin-'))
    try {
      const plugin = join(folder, 'kubectl-dormouse')
      await symlink(join(PROJECT, 'src', 'main.ts'), plugin)
      const { code, stderr } = await runProgram(process.execPath, [plugin, 'tokn'], {
        env: programEnvironment(),
      })
      expect([code, stderr.includes("no command 'tokn'")]).to.deep.equal([2, true])
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('are not taken by the commands of the service', async () => {
    const { code, stderr } = await run('--kubeconfig', 'x', 'serve')
    expect(code).to.equal(2)
    expect(stderr).to.include("unknown option '--kubeconfig'")
  })
})

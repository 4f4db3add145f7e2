import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { linuxExecutable } from '../../packaging/executable.ts'
import { describeOn } from '../support/clusters.ts'
import { enforced } from '../support/enforced.ts'
import { printFigures, type Row } from '../support/figures.ts'
import { runProgram } from '../support/kubectl.ts'

const TIMES = 9

if (process.platform === 'linux')
  describeOn('the time of a wake', function (on) {
    this.timeout(180_000)
    const here = enforced(on)
    let folder: string
    let program: string

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'dormouse-speed-'))
      program = join(folder, 'kubectl-dormouse')
      await linuxExecutable(process.execPath, program)
      await here.enabled('deployments', 'web')
    })

    after(() => rm(folder, { recursive: true, force: true }))

    it('by the executable, and by the annotation that it replaces', async () => {
      const env = { PATH: process.env['PATH'], HOME: folder, KUBECONFIG: on().adminKubeconfig }
      const target = ['deployment/web', '-n', here.namespace]
      const commands: [name: string, program: string, args: string[]][] = [
        ['kubectl annotate', 'kubectl', ['annotate', ...target, 'dormouse.dev/request=wake']],
        ['kubectl-dormouse wake', program, ['wake', ...target]],
        ['kubectl-dormouse --version', program, ['--version']],
        ['node -e 0', process.execPath, ['-e', '0']],
      ]
      const rows = commands.map(([name]): Row & { values: number[] } => ({ name, values: [] }))
      for (let count = 0; count < TIMES; count += 1)
        for (const [place, [name, command, args]] of commands.entries()) {
          const began = performance.now()
          const { code, stderr } = await runProgram(command, args, { env })
          rows[place]?.values.push(performance.now() - began)
          expect(code, `${name}: ${stderr}`).to.equal(0)
        }
      printFigures(`a wake on ${on().name}`, rows)
    })
  })

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'chai'
import { endsWithTests } from '../support/running-program.ts'
import { PROJECT } from '../support/dormouse.ts'

describe('the suite', function () {
  // With nothing built yet, ten minutes of it are the build.
  this.timeout(120 * 60_000)

  for (const [where, ...script] of [
    ['on the oldest Kubernetes that the chart admits', 'test:oldest'],
    ['on the sandbox, as far as that is enough for it,', 'e2e', '--', 'test/e2e/'],
  ] as const)
    it(`${where} passes as on the newest Kubernetes`, async () => {
      const suite = spawn('npm', ['run', '-s', ...script], { cwd: PROJECT, stdio: 'inherit' })
      const [code] = (await once(endsWithTests(suite), 'exit')) as [number | null]
      expect(code).to.equal(0)
    })
})

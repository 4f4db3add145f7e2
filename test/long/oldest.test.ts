import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'chai'
import { endsWithTests } from '../support/running-program.ts'
import { PROJECT } from '../support/dormouse.ts'

describe('the suite on the oldest Kubernetes that the chart admits', function () {
  // With nothing built yet, ten minutes of it are the build.
  this.timeout(120 * 60_000)

  it('passes as on the newest one', async () => {
    const suite = spawn('npm', ['run', '-s', 'test:oldest'], { cwd: PROJECT, stdio: 'inherit' })
    const [code] = (await once(endsWithTests(suite), 'exit')) as [number | null]
    expect(code).to.equal(0)
  })
})

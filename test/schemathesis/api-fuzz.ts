import { expect } from 'chai'
import { sumOf } from '../support/metrics-text.ts'
import type { Cluster } from '../support/cluster.ts'
import { print } from '../support/figures.ts'
import { served } from '../support/served.ts'
import type { PythonProgram } from '../python-programs/python-program.ts'
import { schemathesis } from './run.ts'
import { workloadsInAllStates } from './stage.ts'

/**
 * Defines the test that schemathesis finds nothing in the API, over workloads of each kind in each state. `seed` and
 * `examples` are its own.
 */
export function schemathesisFindsNothing(
  on: () => Cluster,
  program: PythonProgram,
  seed: number,
  examples: number,
): void {
  const here = served(on, { newWorkloadGrace: '0s' })
  let names: [string, ...string[]]

  before('there are workloads', async () => {
    names = await workloadsInAllStates(here)
  })

  it(`schemathesis finds no failure with all checks in all phases, stateful ones included (seed ${seed})`, async () => {
    const { passed, output, summary } = await schemathesis(program, {
      url: here.api.url,
      token: await here.dormouse.tokens.token(),
      namespaces: [here.namespace, 'kube-system'],
      names,
      seed,
      examples,
    })
    print([`schemathesis, seed ${seed}, at most ${examples} examples of an operation:`, ...summary])
    expect(passed, output).to.equal(true)
  })

  it('and the service did not fail meanwhile', async () => {
    const samples = await here.dormouse.metrics()
    expect(sumOf(samples, 'dormouse_http_requests_total', { code: '200' })).to.be.above(100)
    expect(sumOf(samples, 'dormouse_http_requests_total', { code: '500' })).to.equal(0)
  })
}

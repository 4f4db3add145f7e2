import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { describeOn } from '../support/clusters.ts'
import { programEnvironment, PROJECT } from '../support/dormouse.ts'
import { enforced } from '../support/enforced.ts'
import { EventStream } from '../support/event-stream.ts'
import { endsWithTests } from '../support/running-program.ts'

describeOn(
  'kubectl dormouse console',
  function (on) {
    this.timeout(90_000)
    const here = enforced(on)

    it('signs in by its link, lists, wakes with the name of the kubeconfig, and ends at Ctrl-C with 0', async () => {
      await here.asleep('deployments', 'web', { replicas: 2 })
      const args = ['console', '--no-open', '--kubeconfig', on().adminKubeconfig, '-n', here.namespace]
      const child = endsWithTests(
        spawn(process.execPath, [`${PROJECT}/src/client/main.ts`, ...args], { env: programEnvironment() }),
      )
      const ended = once(child, 'close') as Promise<[number | null]>
      const [line] = (await once(createInterface(child.stdout!), 'line')) as [string]
      const { origin, hash } = new URL(line)

      const signIn = await fetch(`${origin}/console/sign-in`, {
        method: 'POST',
        headers: { 'X-Dormouse-Secret': hash.replace('#secret=', '') },
      })
      const { token } = (await signIn.json()) as { token: string }
      const list = await EventStream.open(`${origin}/api/v1/workloads?watch=true`, token)
      await list.until('listed')
      const [added] = list.events
      expect(added?.data).to.include({ name: 'web', is_snoozed: true, last_replicas: 2 })

      const path = `${origin}/api/v1/namespaces/${here.namespace}/deployments/web`
      const headers = { Authorization: `Bearer ${token}` }
      const plan = await fetch(`${path}/plan?hours=168`, { headers })
      expect(await plan.json()).to.deep.include({ success: true })
      const dry = await fetch(`${origin}/api/v1/namespaces/${here.namespace}/wake?dryRun=true`, {
        method: 'POST',
        headers,
      })
      const { data } = (await dry.json()) as { data: { counts: object } }
      expect(data.counts).to.deep.equal({ done: 1, unchanged: 0, refused: 0 })
      expect((await here.workload('deployments', 'web').status()).is_snoozed).to.equal(true)

      const woken = await fetch(`${path}/wake?for=4h`, { method: 'POST', headers })
      expect(woken.status, await woken.clone().text()).to.equal(200)
      await list.until('changed', ({ is_snoozed }) => is_snoozed === false)
      const { operation_history } = await here.workload('deployments', 'web').status()
      expect(operation_history[0]).to.include({ type: 'wake', trigger: 'api', by: 'k8s:sandbox-admin' })

      child.kill('SIGINT')
      expect((await ended)[0]).to.equal(0)
      await list.close()
    })
  },
  'sandbox',
)

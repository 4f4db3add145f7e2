import { expect } from 'chai'
import { aWorkload, Client, DEPLOYMENTS } from '../cluster.ts'
import { sandboxWithKubectl } from '../kubectl.ts'
import { patchReply, register, WebhookServer } from '../webhook-server.ts'

describe('kubectl on the sandbox, through a webhook', function () {
  this.timeout(180_000)
  const here = sandboxWithKubectl()
  const server = new WebhookServer()

  before('there is a deployment and a webhook', async () => {
    await server.start()
    const client = new Client(here.sandbox)
    await client.post(DEPLOYMENTS, aWorkload('web', { replicas: 2 }))
    await register(client, [server.webhook()])
  })

  after('the webhook stops', () => server.stop())

  /** What kubectl says on either channel; a failure is marked as such. */
  const kubectl = async (command: string): Promise<string> => {
    const { code, stdout, stderr } = await here.kubectl.attempt(command.split(' '))
    return code === 0 ? stdout + stderr : `failed: ${stderr}`
  }

  it('shows a denial of kubectl scale with its reason', async () => {
    const status = { code: 403, reason: 'Forbidden', message: 'pinned by k8s:alice' }
    server.reply = () => ({ allowed: false, status })
    expect(await kubectl('scale deployment web --replicas=5')).to.equal(
      'failed: Error from server (Forbidden): admission webhook "scale.dormouse.dev" denied the request: ' +
        'pinned by k8s:alice\n',
    )
    expect(server.reviews.at(-1)?.subResource).to.equal('scale')
  })

  it('prints a warning, and what the webhook made of a kubectl patch', async () => {
    server.reply = () => ({
      ...patchReply([{ op: 'replace', path: '/spec/replicas', value: 0 }]),
      warnings: ['asleep — 5 is kept'],
    })
    const output = await kubectl(
      'patch deployment web -p {"spec":{"replicas":5}} -o jsonpath={.spec.replicas}',
    )
    expect(output).to.equal('0Warning: asleep — 5 is kept\n')
    expect(server.reviews.at(-1)?.options).to.include({ fieldManager: 'kubectl-patch' })
  })
})

import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { SandboxCluster } from '../../../src/sandbox/sandbox.ts'
import { aWorkload, Client, DEPLOYMENTS, startSandbox } from '../cluster.ts'
import { aCertificate, patchReply, register, WebhookServer } from '../webhook-server.ts'
import { leaveOut } from '../../support/leave-out.ts'

const run = promisify(execFile)

describe('kubectl on the sandbox, through a webhook', function () {
  this.timeout(30_000)
  let sandbox: SandboxCluster
  let server: WebhookServer
  let directory: string

  before(async function () {
    if (spawnSync('kubectl', ['version', '--client']).error) leaveOut(this, 'kubectl is not on the path')
    sandbox = await startSandbox({ readyAfterMs: 20 })
    server = new WebhookServer(await aCertificate())
    await server.start()
    directory = await mkdtemp(join(tmpdir(), 'dormouse-kubectl-'))
    await writeFile(join(directory, 'kubeconfig'), sandbox.kubeconfig())
    const client = new Client(sandbox)
    await client.post(DEPLOYMENTS, aWorkload('web', { replicas: 2 }))
    await register(client, [server.webhook()])
  })

  after(async () => {
    await sandbox?.stop()
    await server?.stop()
    if (directory) await rm(directory, { recursive: true })
  })

  /** What kubectl says on either channel; a failure is told as such. */
  const kubectl = async (command: string): Promise<string> => {
    const args = [`--cache-dir=${directory}/cache`, ...command.split(' ')]
    const env = { ...process.env, KUBECONFIG: join(directory, 'kubeconfig') }
    return run('kubectl', args, { env }).then(
      ({ stdout, stderr }) => stdout + stderr,
      (error: { stderr?: string }) => `failed: ${error.stderr}`,
    )
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

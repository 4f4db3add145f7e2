import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { describeOn } from '../support/clusters.ts'
import { Dormouse, MAIN, PROJECT, programEnvironment, startProgram } from '../support/dormouse.ts'
import { eventually } from '../support/eventually.ts'
import { print } from '../support/figures.ts'
import { runProgram } from '../support/kubectl.ts'

function dormouse(...args: string[]) {
  return runProgram(process.execPath, [MAIN, ...args], { env: programEnvironment(), cwd: PROJECT })
}

describe('the command line', function () {
  this.timeout(30_000)
  let directory: string

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'dormouse-cli-'))
  })

  after(async () => {
    await rm(directory, { recursive: true, force: true })
  })

  it('explain shows the canonical schedule and its coming edges', async () => {
    const { code, stdout } = await dormouse(
      'explain',
      '08:00-18:00,monday-FRIDAY',
      '--timezone',
      'Europe/Berlin',
      '--from',
      '2026-03-27T12:00',
      '--count',
      '3',
    )
    expect(code).to.equal(0)
    expect(stdout).to.include('8:00-18:00,Mon-Fri')
    expect(stdout).to.include('2026-03-27T17:00:00Z').and.include('2026-03-30T06:00:00Z')
  })

  it('explain says at which place a schedule is wrong, and ends with 2', async () => {
    const { code, stderr, stdout } = await dormouse('explain', '8:00-18:00,Mon-Fry')
    expect([code, stdout]).to.deep.equal([2, ''])
    expect(stderr).to.match(/\^/)
  })

  it('serve tells every fault of its configuration at once, and ends with 2', async () => {
    const config = join(directory, 'faulty.yaml')
    await writeFile(
      config,
      'timezone: Mars/Base\noperationTimeout: soon\napi: { insecurePort: 99999 }\nunknown: 1\n',
    )
    const { code, stderr, stdout } = await dormouse('serve', '--config', config)
    expect([code, stdout]).to.deep.equal([2, ''])
    for (const key of ['timezone', 'operationTimeout', 'insecurePort', 'unknown'])
      expect(stderr).to.include(key)
  })

  it('a wrong environment variable, a missing file and an unknown option end with 2 as well', async () => {
    const env = { ...programEnvironment(), DORMOUSE_LOG_LEVEL: 'loud' }
    const variable = await runProgram(process.execPath, [MAIN, 'serve', '--api-port', '0'], {
      env,
      cwd: PROJECT,
    })
    expect(variable.code).to.equal(2)
    expect(variable.stderr).to.include('DORMOUSE_LOG_LEVEL')
    expect((await dormouse('serve', '--config', join(directory, 'none.yaml'))).code).to.equal(2)
    expect((await dormouse('serve', '--no-such-option')).code).to.equal(2)
    expect((await dormouse('dance')).code).to.equal(2)
  })

  it('serve with a kubeconfig that is not there says so, and does not end with 0', async () => {
    const { code, stderr } = await dormouse(
      'serve',
      '--api-port',
      '0',
      '--metrics-port',
      '0',
      '--kubeconfig',
      join(directory, 'none'),
    )
    expect(code).to.be.oneOf([1, 2])
    expect(stderr).to.include(join(directory, 'none'))
  })
})

describeOn('dormouse token', (on) => {
  it('signs what a service with the public half of its key pair believes', async function () {
    this.timeout(30_000)
    const directory = await mkdtemp(join(tmpdir(), 'dormouse-token-'))
    const keys = join(directory, 'keys')
    expect((await dormouse('key-pair', keys)).code).to.equal(0)
    const { stdout } = await dormouse(
      'token',
      '--key',
      join(keys, 'private.pem'),
      '--subject',
      'alice',
      '--namespaces',
      'default',
      '--scope',
      'dormouse:read,dormouse:write',
      '--ttl',
      '5m',
    )
    const local = { issuer: 'dormouse', audience: 'dormouse', publicKeyFile: join(keys, 'public.pem') }
    const service = await Dormouse.start(on(), { auth: { local } })
    try {
      const token = stdout.trim()
      expect((await service.api.call('GET', '/namespaces/default/deployments', { token })).status).to.equal(
        200,
      )
      expect((await service.api.call('GET', '/namespaces/other/deployments', { token })).status).to.equal(403)
      expect(
        (await service.api.call('GET', '/namespaces/default/deployments', { token: `${token}x` })).status,
      ).to.equal(401)
    } finally {
      await service.stop()
      await rm(directory, { recursive: true, force: true })
    }
  })
})

describe('the sandbox, as a person starts it', function () {
  this.timeout(60_000)
  let child: ReturnType<typeof startProgram>
  let printed = ''

  before('it has printed what to paste', async () => {
    child = startProgram(['sandbox', '--api-port', '0', '--kube-port', '0', '--metrics-port', '0'])
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (printed += text))
    const started = performance.now()
    await eventually('the last command to be printed', () => printed.endsWith('docs/quick-start.md\n'))
    print([
      `start to ready: ${Math.round(performance.now() - started)} ms; it says: ${printed.split('\n', 1)[0]}`,
    ])
  })

  after('it ends with 0, and a last line says so', async () => {
    const exited = once(child, 'close')
    child.kill('SIGTERM')
    expect((await exited)[0]).to.equal(0)
    expect(printed.split('\n').slice(-2)).to.deep.equal(['stopped; nothing is left', ''])
  })

  it('prints commands that work when they are pasted, in their order', async () => {
    const commands = printed.split('\n').filter((line) => /^ {2}(export|dm|kubectl|curl)\b/.test(line))
    expect(commands.length, printed).to.be.greaterThan(8)
    const finite = commands.filter((command) => !command.endsWith(' -w'))
    const script = ['set -e', ...finite.flatMap((command) => [command, 'echo "--- done"'])].join('\n')
    const { code, stdout, stderr } = await runProgram('bash', ['-c', script], { env: programEnvironment() })
    expect({ code, stderr }, stdout).to.deep.equal({ code: 0, stderr: '' })
    const outputs = stdout.split('--- done\n')
    for (const [index, command] of finite.entries()) {
      const output = (outputs[index] ?? '').trim()
      if (/^ {2}dm (?!\()/.test(command)) expect(JSON.parse(output), command).to.include({ success: true })
      if (command.includes('kubectl')) expect(output, command).to.match(/storefront/)
    }
  })

  it('says when the workload falls asleep that does so by itself, and no backoff keeps it from doing so again', async () => {
    const [, said] = /falls asleep by its own schedule at (\d\d:\d\d:\d\d) /.exec(printed) ?? []
    const exports = printed.split('\n').filter((line) => /^ {2}(export|dm\(\))/.test(line))
    const storefront = '$API/namespaces/staging/deployments/storefront'
    const script = [...exports, `dm ${storefront}`, `dm "${storefront}/plan?hours=4"`].join('\n')
    const { stdout } = await runProgram('bash', ['-c', script], { env: programEnvironment() })
    const [status, plan] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { data: unknown })
    if (!status || !plan) throw new Error(`the API did not answer twice: ${stdout}`)
    const { snoozed_at: slept } = status.data as { snoozed_at: string | null }
    const coming = plan.data as { at: string; type: string }[]
    const sleeps = coming.filter(({ type }) => type === 'snooze').map(({ at }) => Date.parse(at))
    const all = slept === null ? sleeps : [Math.floor(Date.parse(slept) / 60_000) * 60_000, ...sleeps]
    expect(new Date(all[0] ?? 0).toLocaleTimeString('en-GB')).to.equal(said)
    expect(all.map((at) => at - (all[0] ?? 0))).to.deep.equal([0, 1, 2, 3, 4, 5].map((n) => n * 30 * 60_000))
  })

  it('reaches no other cluster when the exports were forgotten', async () => {
    const elsewhere = createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1')
    const requests: (string | undefined)[] = []
    elsewhere.on('request', ({ url }) => requests.push(url))
    await once(elsewhere, 'listening')
    const { port } = elsewhere.address() as AddressInfo
    const kubeconfig = join(await mkdtemp(join(tmpdir(), 'dormouse-cli-')), 'config')
    const context = { name: 'production', context: { cluster: 'production', user: 'me' } }
    const cluster = { name: 'production', cluster: { server: `http://127.0.0.1:${port}` } }
    const users = [{ name: 'me', user: {} }]
    await writeFile(
      kubeconfig,
      JSON.stringify({ clusters: [cluster], contexts: [context], users, 'current-context': 'production' }),
    )
    try {
      const commands = printed.split('\n').filter((line) => line.startsWith('  kubectl'))
      expect(commands).to.have.length.above(2)
      for (const command of commands) {
        const env = { ...programEnvironment(), KUBECONFIG: kubeconfig }
        const { code, stderr } = await runProgram('bash', ['-c', command], { env })
        expect(code, command).to.not.equal(0)
        expect(stderr).to.match(/context.*dormouse-sandbox/)
      }
      expect(requests).to.deep.equal([])
    } finally {
      elsewhere.close()
      await rm(dirname(kubeconfig), { recursive: true })
    }
  })

  it('shows a workload that falls asleep by itself when it is watched', async () => {
    const exports = printed.split('\n').filter((line) => line.startsWith('  export'))
    const watch = printed.split('\n').find((line) => line.endsWith(' -w'))
    expect(watch).to.be.a('string')
    const shell = spawn('bash', ['-c', `${exports.join('\n')}\nexec ${String(watch).trim()}`], {
      env: programEnvironment(),
    })
    try {
      const lines = createInterface(shell.stdout)
      const [head] = (await once(lines, 'line')) as [string]
      expect(head).to.match(/^NAME/)
    } finally {
      shell.kill('SIGTERM')
    }
  })

  it('prints one line of JSON instead when it is asked to', async () => {
    const scripted = startProgram([
      'sandbox',
      '--json',
      '--api-port',
      '0',
      '--kube-port',
      '0',
      '--metrics-port',
      '0',
    ])
    const [line] = (await once(createInterface(scripted.stdout!), 'line')) as [string]
    const { api, token, kubeconfig, metrics } = JSON.parse(line) as Record<string, string>
    const answer = await fetch(`${api}/api/v1/workloads`, { headers: { authorization: `Bearer ${token}` } })
    expect(answer.status).to.equal(200)
    expect(((await answer.json()) as { data: unknown[] }).data).to.have.length.above(7)
    expect((await fetch(`${metrics}/readyz`)).status).to.equal(200)
    expect(
      (await runProgram('kubectl', [`--kubeconfig=${kubeconfig}`, 'get', 'deployments', '-A'])).stdout,
    ).to.include('storefront')
    const exited = once(scripted, 'exit')
    scripted.kill('SIGTERM')
    expect((await exited)[0]).to.equal(0)
  })
})

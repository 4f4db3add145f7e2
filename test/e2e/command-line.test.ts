import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { programEnvironment, runDormouse, startProgram } from '../support/dormouse.ts'
import { eventually } from '../support/eventually.ts'
import { bash, kubectl, runProgram } from '../support/kubectl.ts'
import { RunningProgram } from '../support/running-program.ts'
import { both, describeWith } from '../suite/need.ts'

const FREE_PORTS = ['--api-port', '0', '--kube-port', '0', '--metrics-port', '0']

/** Runs the program to its end; a last argument that is an object is added to its environment. */
function dormouse(...given: (string | NodeJS.ProcessEnv)[]) {
  const args = given.filter((each) => typeof each === 'string')
  return runDormouse(args, { env: given.find((each) => typeof each === 'object') ?? {} })
}

describe('the command line', function () {
  this.timeout(90_000)
  let directory: string

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'dormouse-cli-'))
  })

  after(async () => {
    await rm(directory, { recursive: true, force: true })
  })

  for (const args of [
    ['wake', '--help'],
    ['explain', '8:00-18:00', '--count', '1000'],
  ])
    it(`${args[0]} ends quietly where whoever reads it has read enough`, async () => {
      const child = startProgram(args)
      let said = ''
      child.stderr?.on('data', (text) => (said += String(text)))
      child.stdout?.destroy()
      const [code] = (await once(child, 'close')) as [number]
      expect({ code, said }).to.deep.equal({ code: 0, said: '' })
    })

  it('commands are shown as they were typed, by npm too', async () => {
    const { stdout } = await dormouse('wake', '--help', { npm_lifecycle_event: 'dormouse' })
    expect(stdout).to.include('Usage: npm run -s dormouse -- wake')
    expect((await dormouse('wake', '--help', { npm_lifecycle_event: '' })).stdout).to.include(
      'Usage: dormouse wake',
    )
  })

  it('serve ends with the error that ended it, behind what it logged before', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    try {
      const { port } = taken.address() as AddressInfo
      const kubeconfig = join(directory, 'nowhere')
      const cluster = { name: 'c', cluster: { server: 'http://127.0.0.1:1' } }
      const contexts = [{ name: 'c', context: { cluster: 'c' } }]
      await writeFile(kubeconfig, JSON.stringify({ clusters: [cluster], contexts, 'current-context': 'c' }))
      const ports = ['--api-port', '0', '--metrics-port', String(port)]
      const { code, stderr } = await dormouse('serve', ...ports, '--kubeconfig', kubeconfig)
      expect(code).to.be.oneOf([1, 2])
      const lines = stderr.trimEnd().split('\n')
      expect(lines.at(-2)).to.match(/^\{"level":"error".*a part of the service failed to start/)
      expect(lines.at(-1)).to.match(/^error: /)
    } finally {
      taken.close()
    }
  })
})

describeWith(both(kubectl, bash), 'the sandbox, as a person starts it', function () {
  this.timeout(120_000)
  let child: ReturnType<typeof startProgram>
  let printed = ''

  before('it has printed what to paste', async () => {
    child = startProgram(['sandbox', ...FREE_PORTS])
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (printed += text))
    await eventually('the last command to be printed', () => printed.endsWith('docs/quick-start.md\n'))
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
    expect(outputs[2], 'the first answer').to.match(/ kubectl dormouse (?:wake|snooze) deploy\/storefront/)
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
      const [path] = /export PATH=.*/.exec(printed) ?? []
      for (const command of commands) {
        const env = { ...programEnvironment(), KUBECONFIG: kubeconfig }
        const { code, stderr } = await runProgram('bash', ['-c', `${path}\n${command}`], { env })
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
    const scripted = new RunningProgram(startProgram(['sandbox', '--json', ...FREE_PORTS]))
    const { api, token, kubeconfig, metrics } = await scripted.ready<Record<string, string>>()
    const headers = { authorization: `Bearer ${token}` }
    const { data } = (await (await fetch(`${api}/api/v1`, { headers })).json()) as { data: object }
    expect(data).to.include({ cluster: 'sandbox', user: 'you' })
    const answer = await fetch(`${api}/api/v1/workloads`, { headers })
    expect(answer.status).to.equal(200)
    expect(((await answer.json()) as { data: unknown[] }).data).to.have.length.above(7)
    expect((await fetch(`${metrics}/readyz`)).status).to.equal(200)
    expect(
      (await runProgram('kubectl', [`--kubeconfig=${kubeconfig}`, 'get', 'deployments', '-A'])).stdout,
    ).to.include('storefront')
    expect(await scripted.end('SIGTERM')).to.equal(0)
  })
})

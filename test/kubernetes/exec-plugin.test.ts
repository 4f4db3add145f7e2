import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import type { RequestOptions } from 'node:https'
import { expect } from 'chai'
import { pluginIssuer } from '../../src/kubernetes/exec-plugin.ts'
import type { Cluster, ExecPlugin } from '../../src/kubernetes/kube-config-file.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const NODE = process.execPath
const API = { apiVersion: 'client.authentication.k8s.io/v1', command: NODE }
const CLUSTER: Cluster = { server: 'https://127.0.0.1:1' }

describe('an exec plugin', () => {
  const at = temporaryFolder()

  /** Its token is this expression's value, in base64. */
  const saying = (expression: string): ExecPlugin => ({
    ...API,
    args: [
      '-e',
      `const token = Buffer.from(${expression}).toString('base64url')
       console.log(JSON.stringify({ kind: 'ExecCredential', status: { token } }))`,
    ],
    env: null,
  })

  async function said(plugin: ExecPlugin, cluster = CLUSTER, environment = {}): Promise<string> {
    return issued(pluginIssuer(plugin, cluster, environment))
  }

  async function issued(issuer: ReturnType<typeof pluginIssuer>): Promise<string> {
    const options: RequestOptions & { headers?: { Authorization?: string } } = {}
    await issuer(options)
    const { Authorization = '' } = options.headers ?? {}
    return Buffer.from(Authorization.slice('Bearer '.length), 'base64url').toString()
  }

  it('has the variables of the kubeconfig beside ours', async () => {
    const plugin = { ...saying('process.env.A + process.env.B'), env: [{ name: 'A', value: 'theirs' }] }
    expect(await said(plugin, CLUSTER, { A: 'ours', B: ' and ours' })).to.equal('theirs and ours')
  })

  it('is told its API version and that it has no terminal, and of the cluster only if it asks', async () => {
    const spec = { interactive: false }
    expect(JSON.parse(await said(saying('process.env.KUBERNETES_EXEC_INFO')))).to.deep.equal({
      apiVersion: API.apiVersion,
      kind: 'ExecCredential',
      spec,
    })
  })

  it('that asks for the cluster has its CA as data, and what the kubeconfig says for plugins', async () => {
    await writeFile(at('ca.crt'), 'the CA')
    const cluster = {
      ...CLUSTER,
      'certificate-authority': at('ca.crt'),
      'tls-server-name': 'api',
      extensions: [
        { name: 'other', extension: {} },
        { name: 'client.authentication.k8s.io/exec', extension: { audience: 'a', level: 1 } },
      ],
    }
    const plugin = { ...saying('process.env.KUBERNETES_EXEC_INFO'), provideClusterInfo: true }
    expect(JSON.parse(await said(plugin, cluster)).spec.cluster).to.deep.equal({
      ...CLUSTER,
      'certificate-authority-data': Buffer.from('the CA').toString('base64'),
      'tls-server-name': 'api',
      config: { audience: 'a', level: 1 },
    })
  })

  it('that reads standard input finds its end', async () => {
    expect(await said(saying(`'read:' + require('node:fs').readFileSync(0, 'utf8')`))).to.equal('read:')
  })

  it('runs once for calls at once, however long it takes', async () => {
    const issuer = pluginIssuer(
      saying(`(function () {
        const { appendFileSync, existsSync } = require('node:fs')
        appendFileSync(${JSON.stringify(at('runs'))}, 'run ')
        while (!existsSync(${JSON.stringify(at('go'))})) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
        return 'token'
      })()`),
      CLUSTER,
      {},
    )
    const calls = [issued(issuer), issued(issuer)]
    await writeFile(at('go'), '')
    expect(await Promise.all(calls)).to.deep.equal(['token', 'token'])
    expect(await readFile(at('runs'), 'utf8')).to.equal('run ')
  })

  it('may leave something running that holds its outputs', async () => {
    const credential = JSON.stringify({ status: { token: Buffer.from('printed').toString('base64url') } })
    const args = ['-c', `sleep 30 & echo $! > ${at('child')}; echo '${credential}'`]
    const issuer = pluginIssuer({ ...API, command: 'sh', args }, CLUSTER, {})
    try {
      expect(await issued(issuer)).to.equal('printed')
    } finally {
      process.kill(Number(await readFile(at('child'), 'utf8')), 'SIGKILL')
    }
  })

  it('that fails runs once for all who asked meanwhile, and again only for those who ask then', async () => {
    const args = ['-c', `echo run >> ${at('runs')}; until [ -e ${at('go')} ]; do sleep 0.02; done; exit 1`]
    const issuer = pluginIssuer({ ...API, command: 'sh', args }, CLUSTER, {})
    const runs = async () => (await readFile(at('runs'), 'utf8')).split('\n').length - 1
    const ask = () => issuer({}).catch(() => undefined)
    const asked = [ask()]
    await eventually('it to run', runs)
    asked.push(ask(), ask())
    await writeFile(at('go'), '')
    await Promise.all(asked)
    expect(await runs()).to.equal(1)
    await ask()
    expect(await runs()).to.equal(2)
  })

  it('that hangs keeps no process from ending, and ends with it', async () => {
    const source = new URL('../../src/kubernetes/exec-plugin.ts', import.meta.url).href
    const args = ['-c', `echo $$ > ${at('plugin')}; exec sleep 30`]
    const script = `const { pluginIssuer } = await import(${JSON.stringify(source)})
      pluginIssuer(${JSON.stringify({ ...API, command: 'sh', args })}, {}, process.env)({}).catch(() => {})
      const { existsSync } = await import('node:fs')
      const wait = () => { if (!existsSync(${JSON.stringify(at('plugin'))})) setTimeout(wait, 5) }
      wait()`
    const child = spawn(NODE, ['--input-type=module', '-e', script], { stdio: 'inherit' })
    expect(await once(child, 'exit')).to.deep.equal([0, null])
    const pid = Number(await readFile(at('plugin'), 'utf8'))
    await eventually('the plugin ends', () => !isRunning(pid))
  })

  it('may give a client certificate', async () => {
    const status = { clientCertificateData: 'certificate', clientKeyData: 'key' }
    const options: RequestOptions = {}
    const plugin = { ...API, args: ['-p', JSON.stringify(JSON.stringify({ status }))] }
    await pluginIssuer(plugin, CLUSTER, {})(options)
    expect(options).to.deep.equal({ cert: 'certificate', key: 'key' })
  })

  describe('that fails is named', () => {
    const failure = (plugin: ExecPlugin) =>
      said(plugin).then(
        () => expect.fail('it worked'),
        ({ message }: Error) => message,
      )

    it('with how to install it, if it is not there', async () => {
      expect(await failure({ command: '/none', installHint: 'install it' })).to.equal(
        'the exec plugin /none cannot be run: spawn /none ENOENT; install it',
      )
      expect(await failure({})).to.match(/^the exec plugin \(no command\) cannot be run: /)
    })

    it('with what it complains of', async () => {
      const plugin = { ...API, args: ['-e', 'console.error("log in"); process.exit(3)'] }
      expect(await failure(plugin)).to.equal(`the exec plugin ${NODE} ended with 3: log in`)
    })

    it('without what it printed, which may have a token', async () => {
      for (const output of ['{ secret', '{}', 'null', '{"status":{"clientCertificateData":"secret"}}'])
        expect(await failure({ ...API, args: ['-p', JSON.stringify(output)] })).to.equal(
          `the exec plugin ${NODE} printed neither a token nor a certificate and key`,
        )
    })

    it('if it does not end, and is killed with all that it has started', async () => {
      const args = ['-c', `sleep 30 & echo $! > ${at('child')}; echo 'log in at …' >&2; wait`]
      const issuer = pluginIssuer({ ...API, command: 'sh', args }, CLUSTER, {}, 2000)
      const error = await issuer({}).catch(({ message }: Error) => message)
      expect(error).to.equal('the exec plugin sh did not end within 2 s and was killed: log in at …')
      const pid = Number(await readFile(at('child'), 'utf8'))
      await eventually('what it has started ends', () => !isRunning(pid))
    })

    it('with the signal that ended it, and what it complained of', async () => {
      const plugin = { ...API, command: 'sh', args: ['-c', 'echo "out of memory" >&2; kill -9 $$'] }
      expect(await failure(plugin)).to.equal('the exec plugin sh was killed by SIGKILL: out of memory')
    })

    it('if it needs a terminal', async () => {
      expect(await failure({ ...API, interactiveMode: 'Always' })).to.equal(
        `the exec plugin ${NODE} needs a terminal (interactiveMode: Always), and Dormouse has none`,
      )
    })
  })
})

/** A zombie, which only its parent can bury, has ended. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

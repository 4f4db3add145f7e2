import { writeFile } from 'node:fs/promises'
import { expect } from 'chai'
import { newKeyPair } from '../../src/service/auth/local-token.ts'
import { registerServe } from '../../src/cli/serve.ts'
import { call, type Outcome } from './terminal.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

describe('dormouse serve', () => {
  const at = temporaryFolder()

  beforeEach(async () => {
    await writeFile(at('private.pem'), newKeyPair('EdDSA').privateKey)
    await writeFile(at('not.pem'), 'hello')
    await writeFile(
      at('kubeconfig'),
      JSON.stringify({
        clusters: [{ name: 'none', cluster: { server: 'http://127.0.0.1:9' } }],
        contexts: [{ name: 'none', context: { cluster: 'none', user: '' } }],
        'current-context': 'none',
      }),
    )
  })

  /** Under a configuration, and stopped as it starts. */
  const serve = async (
    settings: object,
    {
      kubeconfig = at('kubeconfig'),
      insecurePort = 0,
    }: { kubeconfig?: string; insecurePort?: number | null } = {},
  ): Promise<Outcome & { warned: string[]; first: Readonly<Record<string, unknown>> | undefined }> => {
    const config = at('config.yaml')
    await writeFile(config, JSON.stringify({ api: { insecurePort }, metrics: { port: 0 }, ...settings }))
    const warned: string[] = []
    let first: Readonly<Record<string, unknown>> | undefined
    const outcome = await call(
      (program, ports) => {
        const logDestination = {
          write(line: string) {
            const { level, msg, ...about } = JSON.parse(line) as { level: string; msg: string }
            first ??= { msg, ...about }
            if (level === 'warn') warned.push(msg)
          },
        }
        registerServe(program, { ...ports, stopSignal: AbortSignal.abort(), logDestination })
      },
      ['serve', '--config', config, '--kubeconfig', kubeconfig],
    )
    return { ...outcome, warned, first }
  }

  it('says first by which version, Node and zone data it computes', async () => {
    const { first } = await serve({})
    expect(first).to.include({ msg: 'starting', node: process.version, zoneData: process.versions['tz'] })
  })

  for (const [file, told] of [
    ['gone.pem', /auth\.local\.publicKeyFile .*gone\.pem: there is no such file/],
    ['not.pem', /auth\.local: this is not a public key in PEM/],
    ['private.pem', /auth\.local: this is a private key/],
  ] as const) {
    it(`ends with 2 and says what is wrong with the key: ${file}`, async () => {
      const local = { issuer: 'me', audience: 'dormouse', publicKeyFile: at(file) }
      const { code, err } = await serve({ auth: { local } })
      expect(code).to.equal(2)
      expect(err).to.match(told)
    })
  }

  it('reports any other fault of the kubeconfig before it reports ports', async () => {
    const kubeconfig = at('empty')
    await writeFile(kubeconfig, '{}')
    const { code, err } = await serve({}, { kubeconfig, insecurePort: null })
    expect(err).to.equal(
      `error: kubeconfig: there are no contexts in ${kubeconfig}; name another with --kubeconfig or KUBECONFIG\n`,
    )
    expect(code).to.equal(1)
  })

  it('reports that it has nothing to listen on once the kubeconfig is good', async () => {
    const { code, err } = await serve({}, { insecurePort: null })
    expect(err).to.match(/^error: outside a cluster there is nothing to listen on/)
    expect(code).to.equal(2)
  })

  it('warns that pins are not enforced where the API server has no URL of the webhook', async () => {
    const { code, warned } = await serve({})
    expect(warned).to.deep.equal([
      'pins and overrides are not enforced: kubectl scale passes, and only pins are put right afterwards. ' +
        'Set webhook.url to where the API server reaches this process',
    ])
    expect(code).to.equal(0)
    const { first: _, ...reached } = await serve({ webhook: { url: 'https://127.0.0.1:8443' } })
    expect(reached).to.deep.equal({ code: 0, warned: [], out: '', err: '' })
  })
})

import { writeFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { newKeyPair } from '../../src/cli/local-token.ts'
import { registerServe } from '../../src/cli/serve.ts'
import { call, type Outcome } from './terminal.ts'

describe('dormouse serve', () => {
  let directory: string

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'dormouse-serve-'))
    await writeFile(join(directory, 'private.pem'), newKeyPair('EdDSA').privateKey)
    await writeFile(join(directory, 'not.pem'), 'hello')
    await writeFile(
      join(directory, 'kubeconfig'),
      JSON.stringify({
        clusters: [{ name: 'none', cluster: { server: 'http://127.0.0.1:9' } }],
        contexts: [{ name: 'none', context: { cluster: 'none', user: '' } }],
        'current-context': 'none',
      }),
    )
  })

  after(async () => await rm(directory, { recursive: true }))

  const serveWith = async (publicKeyFile: string): Promise<Outcome> => {
    const config = join(directory, 'config.yaml')
    const local = { issuer: 'me', audience: 'dormouse', publicKeyFile: join(directory, publicKeyFile) }
    await writeFile(config, JSON.stringify({ api: { insecurePort: 0 }, auth: { local } }))
    const kubeconfig = join(directory, 'kubeconfig')
    return await call(
      (program, ports) => {
        const stopSignal = AbortSignal.abort()
        const logDestination = { write: () => undefined }
        registerServe(program, {
          ...ports,
          environment: {},
          stopSignal,
          ownNamespace: undefined,
          logDestination,
        })
      },
      ['serve', '--config', config, '--kubeconfig', kubeconfig],
    )
  }

  for (const [file, told] of [
    ['gone.pem', /auth\.local\.publicKeyFile .*gone\.pem: cannot be read \(ENOENT\)/],
    ['not.pem', /auth\.local: this is no public key in PEM/],
    ['private.pem', /auth\.local: this is a private key/],
  ] as const) {
    it(`ends with 2 and says what is wrong with the key: ${file}`, async () => {
      const { code, err } = await serveWith(file)
      expect(code).to.equal(2)
      expect(err).to.match(told)
    })
  }
})

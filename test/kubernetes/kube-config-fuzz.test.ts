import { writeFileSync } from 'node:fs'
import { expect } from 'chai'
import fc from 'fast-check'
import { loadKubeConfig, type LoadedKubeConfig } from '../../src/kubernetes/kube-config.ts'
import { anyFile } from '../support/arbitrary-files.ts'
import { propertyRuns } from '../support/property-runs.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const SECRET = 'c2VjcmV0LW9mLWFsaWNl'
const FILE = `
apiVersion: v1
kind: Config
current-context: a
clusters:
  - name: a
    cluster:
      server: https://a:6443
      certificate-authority: ca.crt
      certificate-authority-data: AAAA
      insecure-skip-tls-verify: false
      tls-server-name: a
      proxy-url: http://proxy:3128
      extensions: [{ name: client.authentication.k8s.io/exec, extension: { a: 1 } }]
users:
  - name: a
    user:
      token: ${SECRET}
      client-key: client.key
      as: alice
      as-groups: [developers]
      as-user-extra: { reason: [test] }
      exec:
        apiVersion: client.authentication.k8s.io/v1
        command: ./bin/login
        args: [--now]
        env: [{ name: A, value: b }]
        interactiveMode: Never
contexts:
  - name: a
    context: { cluster: a, user: a, namespace: shop }
`

describe('any kubeconfig', function () {
  this.timeout(600_000)
  const at = temporaryFolder()

  it('is loaded with fields of their types, or refused with a message that is plain and tells no secret', () => {
    const file = at('config')
    const seen = new Set<string>()
    fc.assert(
      fc.property(anyFile(FILE), (text) => {
        writeFileSync(file, text)
        let loaded: LoadedKubeConfig
        try {
          loaded = loadKubeConfig({ file })
        } catch (error) {
          seen.add('refused')
          expect(error).to.be.instanceOf(Error)
          const { name, message } = error as Error
          expect(name).to.equal('Error')
          expect(message)
            .to.match(/kubeconfig/)
            .and.to.have.length.at.most(700)
          expect(message).not.to.match(/\[object|is not a function|Cannot read|argument must be|not iterable/)
          expect(message).not.to.include(SECRET)
          return
        }
        seen.add('loaded')
        expectTyped(loaded)
      }),
      propertyRuns(400),
    )
    expect([...seen]).to.have.members(['loaded', 'refused'])
  })
})

const TEXTS = ['certificate-authority', 'certificate-authority-data', 'tls-server-name', 'proxy-url'] as const
const USER_TEXTS = [
  'token',
  'tokenFile',
  'client-key',
  'client-key-data',
  'username',
  'password',
  'as',
] as const

function expectTyped({ name, server, cluster, user, namespace }: LoadedKubeConfig): void {
  expect(name).to.be.a('string')
  expect(server).to.be.instanceOf(URL)
  for (const key of TEXTS) expect(cluster[key] ?? '', key).to.be.a('string')
  for (const key of USER_TEXTS) expect(user[key] ?? '', key).to.be.a('string')
  expect(namespace ?? '').to.be.a('string')
  const { exec } = user
  expect(exec ?? {}).to.be.an('object')
  expect(exec?.command ?? '').to.be.a('string')
  for (const argument of exec?.args ?? []) expect(argument).to.be.a('string')
  for (const variable of exec?.env ?? []) expect(variable).to.be.an('object')
  for (const group of user['as-groups'] ?? []) expect(group).to.be.a('string')
}

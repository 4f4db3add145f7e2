import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { SignJWT } from 'jose'
import { OpenIdProvider, rsaKeys } from '../service/auth/openid-provider.ts'
import { describeOn } from '../support/clusters.ts'
import { Dormouse } from '../support/dormouse.ts'
import { manifest } from '../support/manifests.ts'
import { createNamespace } from '../support/served.ts'

const ISSUER = 'https://login.test'
const [MINE, OTHER] = ['a', 'b'].map((name) => `sso-${name}-${randomBytes(4).toString('hex')}`) as [
  string,
  string,
]

describeOn('people of a single sign-on, whom RBAC knows', function (on) {
  this.timeout(180_000)
  const provider = new OpenIdProvider()
  const { publicKey, privateKey } = rsaKeys()
  let dormouse: Dormouse

  before(async () => {
    await provider.start()
    provider.publish({ kid: 'first', key: publicKey })
    for (const namespace of [MINE, OTHER]) {
      await createNamespace(on(), namespace)
      await on().create(namespace, [manifest('deployments', 'web', { replicas: 2 })])
    }
    const binding = ['--clusterrole=edit', '--group=sso-developers', '-n', MINE]
    await on().kubectl('create', 'rolebinding', 'developers', ...binding)
    const asClusterUser = { usernameClaim: 'email', groupsClaim: 'groups', prefix: 'sso-' }
    const oidc = {
      issuer: ISSUER,
      audience: 'dormouse',
      jwksUri: provider.url('/keys'),
      algorithms: ['RS256'],
    }
    dormouse = await Dormouse.start(on(), {
      newWorkloadGrace: '0s',
      auth: { oidc: [{ ...oidc, asClusterUser }] },
    })
  })
  after(async () => {
    await dormouse?.stop()
    await provider.stop()
    for (const namespace of [MINE, OTHER])
      await on().admin.expect('DELETE', `/api/v1/namespaces/${namespace}`)
  })

  const signed = (claims: object) =>
    new SignJWT({ email_verified: true, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'first' })
      .setIssuer(ISSUER)
      .setAudience('dormouse')
      .setSubject('0815')
      .setExpirationTime('10m')
      .sign(privateKey)
  const developer = () => signed({ email: 'alice@example.com', groups: ['developers'] })
  const put = (namespace: string, action: string, token: string) =>
    dormouse.api.call('POST', `/namespaces/${namespace}/deployments/web/${action}`, { token })

  it('do what their groups may do, and stand in the history by their names', async () => {
    const token = await developer()
    expect((await put(MINE, 'enable', token)).status).to.equal(200)
    const { status, body } = await put(MINE, 'snooze?wait=60s', token)
    expect([status, body.data.is_snoozed]).to.deep.equal([200, true])
    expect(body.data.operation_history[0]?.by).to.equal('k8s:sso-alice@example.com')
  })

  it('are refused elsewhere, whatever their token claims of us', async () => {
    const claims = { scope: 'dormouse:write dormouse:read', 'dormouse.dev/namespaces': '*' }
    const token = await signed({ email: 'alice@example.com', groups: ['developers'], ...claims })
    expect((await put(OTHER, 'enable', token)).status).to.equal(403)
    const stranger = await signed({ email: 'bob@example.com', ...claims })
    expect((await put(MINE, 'snooze', stranger)).status).to.equal(403)
  })

  it('cannot be the administrators', async () => {
    const { status, body } = await put(
      MINE,
      'wake',
      await signed({ email: 'a@b', groups: ['system:masters'] }),
    )
    expect([status, body.error.code]).to.deep.equal([401, 'UNAUTHENTICATED'])
  })
})

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { describeOn } from '../../support/clusters.ts'
import type { LogLine } from '../../support/dormouse.ts'
import { eventually } from '../../support/eventually.ts'
import { served, type Served } from '../../support/served.ts'
import { clusterIssuer, localIssuer, oidcIssuer, oidcSettings, SECURE } from './forged-tokens/issuers.ts'
import type { ClusterIssuer, KnownIssuer, Mode, Row, SigningIssuer } from './forged-tokens/row.ts'
import { BY_CLAIMS, BY_CLUSTER } from './forged-tokens/table.ts'
import { GuardedWorkload } from './guarded-workload.ts'
import { OpenIdProvider } from './openid-provider.ts'

const SETTINGS = { log: { level: 'debug' }, newWorkloadGrace: '0s' }

/** Tests every row of the table in this mode, and a good token after each. */
function refuses<Issuer extends KnownIssuer>(
  mode: Mode,
  rows: readonly Row<Issuer>[],
  here: Served,
  issuer: () => Issuer,
): void {
  describe(`in the mode ${mode}`, () => {
    let workload: GuardedWorkload
    const sendGood = (query = '') => workload.snooze(issuer().good, query)

    before(async () => (workload = await GuardedWorkload.create(here, `guarded-${mode}`)))

    afterEach('a good token is accepted', async () => {
      expect((await sendGood('?dryRun=true')).status).to.equal(200)
    })

    for (const { what, refused, send } of rows) {
      const expected = refused[mode]
      if (!expected) continue
      it(`${what}: ${expected.status} ${expected.message}`, async () => {
        await workload.expectRefused(await send(issuer()), expected)
      })
    }

    it('but the good token puts the workload to sleep, which no row has done', async () => {
      const before = await workload.state()
      expect((await sendGood()).status).to.equal(200)
      expect(await workload.state()).not.to.deep.equal(before)
    })
  })
}

describeOn('the API refuses', function (on) {
  this.timeout(90_000)

  describe('tokens of a key pair and of a provider', () => {
    const provider = new OpenIdProvider()
    const trap = new OpenIdProvider()
    let directory: string
    let local: SigningIssuer
    let oidc: SigningIssuer

    before('a provider is there, and a server that nobody should ask', async () => {
      await provider.start()
      await trap.start()
      directory = await mkdtemp(join(tmpdir(), 'dormouse-provider-'))
      const file = join(directory, 'certificate.pem')
      await writeFile(file, provider.certificate)
      process.env['NODE_EXTRA_CA_CERTS'] = file
    })

    const here = served(on, {
      ...SETTINGS,
      get auth() {
        return { kubernetes: { enabled: false }, oidc: oidcSettings(provider) }
      },
    })

    before(async () => {
      delete process.env['NODE_EXTRA_CA_CERTS']
      local = localIssuer(here.dormouse.tokens, trap.url(''))
      oidc = oidcIssuer(provider, trap.url(''))
    })

    after(async () => {
      await provider.stop()
      await trap.stop()
      await rm(directory, { recursive: true, force: true })
    })

    refuses('local', BY_CLAIMS, here, () => local)
    refuses('oidc', BY_CLAIMS, here, () => oidc)

    describe('in all modes', () => {
      it('and asks no server that a token names, nor where the keys are said to have gone', async () => {
        expect(trap.asked).to.deep.equal({})
        expect(provider.asked).to.include.keys('/keys', '/redirecting', '/down')
        expect(provider.asked).not.to.have.property('/elsewhere')
        // a redirected token fails for the redirect, and not for its https
        const secure = oidc.issue({ iss: SECURE })
        expect((await here.api.call('GET', '/workloads', { token: secure })).status).to.equal(200)
      })

      it('any number of tokens with unknown kids, and asks for keys once for all of them', async () => {
        const { fetches } = provider
        const tokens = Array.from({ length: 300 }, (_, index) => oidc.issue({}, { kid: `flood-${index}` }))
        const answers = await Promise.all(
          tokens.map((token) => here.api.call('GET', '/workloads', { token })),
        )
        expect([...new Set(answers.map(({ status }) => status))]).to.deep.equal([401])
        expect(provider.fetches - fetches).to.be.at.most(1)
        expect((await here.api.call('GET', '/workloads', { token: oidc.good })).status).to.equal(200)
      })
    })
  })

  describe('tokens of the cluster', () => {
    const trap = new OpenIdProvider()
    let issuer: ClusterIssuer
    before(() => trap.start())

    const here = served(on, SETTINGS)

    before(async () => {
      issuer = await clusterIssuer(here, trap.url(''))
    })

    after(async () => {
      await trap.stop()
      expect(trap.asked).to.deep.equal({})
    })

    refuses('kubernetes', BY_CLUSTER, here, () => issuer)

    // A suite of its own: mocha runs a suite's own tests first, and this one would leave a cluster that has just started.
    describe('while the cluster is down', () => {
      const guarded = `/namespaces/${here.namespace}/deployments/guarded-kubernetes`
      let token: string

      before('the cluster goes', async () => {
        token = await issuer.tokenFor('dormouse')
        await here.cluster.stopApiServer()
      })

      after('the cluster is back for all others', async () => {
        await here.cluster.startApiServer()
        const serves = async () =>
          (await here.list('deployments')).length > 0 &&
          (await here.api.call('GET', guarded, { token })).status === 200
        await eventually('the cluster to serve again', serves)
      })

      it('a token that it cannot be asked about: 503, and the log has nothing of it', async () => {
        const { status, body } = await here.api.call('GET', guarded, { token })
        expect([status, body.error.code]).to.deep.equal([503, 'CLUSTER_UNAVAILABLE'])
        const isTold = ({ msg }: LogLine) => msg === 'cluster failed a request'
        await eventually('it to be logged', () => here.dormouse.log.some(isTold))
        for (const part of token.split('.'))
          expect(JSON.stringify(here.dormouse.log).includes(part)).to.equal(false)
      })
    })
  })
})

import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { Apache, apache2, clientAt } from '../single-sign-on/apache.ts'
import { chromiumForTests, chromiumProgram } from '../console/chromium.ts'
import { Issuer } from '../single-sign-on/issuer.ts'
import { freePorts } from '../control-plane/ports.ts'
import { describeOnWith } from '../support/clusters.ts'
import { Dormouse } from '../support/dormouse.ts'
import { eventually } from '../support/eventually.ts'
import { manifest } from '../support/manifests.ts'
import { createNamespace } from '../support/served.ts'
import { both } from '../suite/need.ts'

const [MINE, OTHER] = ['a', 'b'].map((name) => `signed-on-${name}-${randomBytes(4).toString('hex')}`) as [
  string,
  string,
]
const PEOPLE = [
  { name: 'alice', groups: ['developers'] },
  { name: 'bob', groups: [] },
]

const NEEDS = both(chromiumProgram, apache2)

describeOnWith(NEEDS, 'single sign-on by a provider, apache2 and a browser', function (on, [program]) {
  this.timeout(300_000)
  const browser = chromiumForTests(program)
  let issuer: Issuer
  let apache: Apache
  let dormouse: Dormouse

  before(async function () {
    for (const namespace of [MINE, OTHER]) {
      await createNamespace(on(), namespace)
      await on().create(namespace, [manifest('deployments', 'web', { replicas: 2 })])
    }
    const binding = ['--clusterrole=edit', '--group=sso-developers', '-n', MINE]
    await on().kubectl('create', 'rolebinding', 'developers', ...binding)
    const [issuerPort, apachePort] = await freePorts(2)
    const client = clientAt(apachePort)
    issuer = await Issuer.start(issuerPort, client, PEOPLE)
    dormouse = await Dormouse.start(on(), {
      newWorkloadGrace: '0s',
      backoff: { maxOperations: 19 },
      console: { signOutUrl: `/signed-in?logout=${encodeURIComponent(client.signedOut)}` },
      auth: {
        oidc: [
          {
            issuer: issuer.url,
            audience: client.id,
            jwksUri: `${issuer.url}/jwks`,
            algorithms: ['RS256'],
            asClusterUser: { usernameClaim: 'email', groupsClaim: 'groups', prefix: 'sso-' },
          },
        ],
      },
    })
    apache = await Apache.start(apachePort, issuer.url, client, new URL(dormouse.api.url).origin)
    await put('enable')
  })
  afterEach('shows the logs of a failure', async function () {
    if (this.currentTest?.state !== 'failed') return
    process.stderr.write(`${dormouse?.lastLines()}\n${await apache?.log()}\n`)
  })
  after(async () => {
    await apache?.stop()
    await dormouse?.stop()
    await issuer?.stop()
    for (const namespace of [MINE, OTHER])
      await on().admin.expect('DELETE', `/api/v1/namespaces/${namespace}`)
  })

  /** As the administrator. */
  const put = async (action: string) => {
    const { status } = await dormouse.api.call('POST', `/namespaces/${MINE}/deployments/web/${action}`)
    expect(status).to.equal(200)
  }
  /** At the provider's own pages: the first asks for name and password, the second for consent. */
  const signIn = async (page: Page, name: string) => {
    await page.getByPlaceholder('Enter any login').fill(name)
    await page.getByPlaceholder('and password').fill('any')
    await page.getByRole('button', { name: 'Sign-in' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
  }
  const open = async (name: string, path = '') => {
    const opened = await browser.open(`${apache.url}/console${path}`)
    expect(opened.page.url()).to.include(`${issuer.url}/interaction/`)
    await signIn(opened.page, name)
    await opened.page.locator('.status.live').waitFor()
    return opened
  }
  const rowOf = (page: Page, namespace: string) =>
    page.locator('.all .row', { has: page.locator(`[data-key="${namespace}/deployment/web"]`) })
  const press = (page: Page, button: string) =>
    rowOf(page, MINE).getByRole('button', { name: button }).click()
  const badge = (page: Page, text: string) => rowOf(page, MINE).locator('.badge', { hasText: text }).waitFor()
  const history = async () => {
    const { body } = await dormouse.api.call('GET', `/namespaces/${MINE}/deployments/web`)
    return body.data.operation_history
  }
  /** With a token that is good for so many seconds. */
  const withLifetime = async <T>(seconds: number, doing: () => Promise<T>): Promise<T> => {
    const { lifetime } = issuer
    issuer.lifetime = seconds
    try {
      return await doing()
    } finally {
      issuer.lifetime = lifetime
    }
  }

  it('signs in at the provider, back to the very address that was opened', async () => {
    const { page, faults } = await open('alice', `?namespace=${MINE}`)
    expect(page.url()).to.equal(`${apache.url}/console?namespace=${MINE}`)
    await rowOf(page, MINE).waitFor()
    expect(await page.evaluate('Object.keys(sessionStorage)')).to.deep.equal([])
    expect(faults).to.deep.equal([])
  })

  it('shows the workloads that the person may see, and wakes one by their name', async () => {
    const { page } = await open('alice')
    await rowOf(page, MINE).waitFor()
    expect(await page.locator('.all .row').count()).to.equal(1)
    await press(page, 'Snooze: web')
    await badge(page, 'Asleep')
    await press(page, 'Wake 4 h: web')
    await badge(page, 'Awake')
    expect((await history())[0]).to.include({ by: 'k8s:sso-alice@example.com' })
    await rowOf(page, MINE).locator('.link').click()
    await page.locator('.detail .history').getByText('sso-alice@example.com').first().waitFor()
  })

  it('shows nothing to who may see nothing', async () => {
    const { page } = await open('bob')
    await page.getByText('There are no workloads that you may see').waitFor()
  })

  it('goes on when the provider has a new key and the old one is gone', async () => {
    await put('wake')
    const { page } = await open('alice')
    await badge(page, 'Awake')
    issuer.rotate()
    const second = await browser.open(`${apache.url}/console`)
    await signIn(second.page, 'alice')
    // Dormouse fetches the keys for an unknown one at most once in 30 s.
    await eventually(
      'the new key to be known',
      async () => {
        await second.page.reload()
        return await second.page
          .locator('.status.live')
          .waitFor({ timeout: 5000 })
          .then(
            () => true,
            () => false,
          )
      },
      { timeout: 90_000 },
    )
    await press(second.page, 'Snooze: web')
    await badge(second.page, 'Asleep')
  })

  it('asks for a sign-in when the token has expired, and the list goes on after it', async () => {
    const { page, faults } = await withLifetime(15, () => open('alice'))
    await rowOf(page, MINE).waitFor()
    // The session at the proxy ends with the token, the one at the provider stays: nobody types a password.
    await page.locator('dialog').getByRole('button', { name: 'Sign in' }).click()
    await page.locator('dialog').waitFor({ state: 'detached' })
    await page.locator('.status.live').waitFor()
    expect(faults).to.deep.equal([])
  })

  it('keeps a click that meets the expired token, and does it after the sign-in', async () => {
    await put('snooze')
    const { page } = await open('alice')
    await badge(page, 'Asleep')
    await page.route('**/wake?for=4h', async (route) => {
      // As if it reached the proxy right after the end of the session.
      await page.context().clearCookies({ name: 'mod_auth_openidc_session' })
      await route.continue({ headers: { ...route.request().headers(), cookie: '' } })
    })
    await press(page, 'Wake 4 h: web')
    const dialog = page.locator('dialog')
    await dialog.getByText(`Wake for 4 h ${MINE}/web`).waitFor()
    await page.unroute('**/wake?for=4h')
    await dialog.getByRole('button', { name: 'Sign in and do it' }).click()
    await page.locator('.notice', { hasText: `Wake for 4 h ${MINE}/web` }).waitFor()
    await badge(page, 'Awake')
  })

  it('ends with a sign-out: the page, the proxy and the provider know nobody any more', async () => {
    const { page } = await open('alice')
    await rowOf(page, MINE).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Yes, sign me out' }).click()
    await eventually('the sign-out', async () => page.url().startsWith(`${apache.url}/signed-out`))
    const answer = await page.request.get(`${apache.url}/api/v1/workloads`)
    expect(answer.status()).to.equal(401)
    await page.goto(`${apache.url}/console`)
    await page.getByPlaceholder('Enter any login').waitFor()
  })
})

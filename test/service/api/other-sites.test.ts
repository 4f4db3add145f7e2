import { expect } from 'chai'
import { aWorkload } from '../../support/fake-cluster.ts'
import { Service } from './service.ts'

describe("requests that a page sends by somebody's browser", () => {
  const of = (site: string) => ({ headers: { 'Sec-Fetch-Site': site } })
  let service: Service

  beforeEach(async () => {
    service = await Service.start()
    service.cluster.put(aWorkload())
  })
  afterEach(async () => await service.stop())

  for (const site of ['cross-site', 'same-site'])
    it(`change nothing if the page is ${site}: a proxy's cookie comes with them`, async () => {
      const { status, body } = await service.call('POST shop/deployments/web/pin', of(site))
      expect([status, body.error?.code]).to.deep.equal([403, 'FORBIDDEN'])
      expect((await service.call('GET shop/deployments/web', of(site))).status).to.equal(200)
    })

  it("do what they ask if the page is the console's own", async () => {
    const { body } = await service.call('POST shop/deployments/web/pin', of('same-origin'))
    expect(body.error?.message ?? '').not.to.include('another site')
  })
})

import { expect } from 'chai'
import { Service } from './service.ts'
import { managed } from './states.ts'

describe("requests that a page sends by somebody's browser", () => {
  it("change nothing from another site, since a proxy's cookie comes with them, and what they ask from the console", async () => {
    const service = await Service.start()
    service.cluster.put(managed())
    const answerTo = async (method: string, site: string) => {
      const path = method === 'GET' ? 'shop/deployments/web' : 'shop/deployments/web/pin'
      const { code, status } = await service.call(`${method} ${path}`, {
        headers: { 'Sec-Fetch-Site': site },
      })
      return code ?? status
    }
    for (const site of ['cross-site', 'same-site'])
      expect([await answerTo('POST', site), await answerTo('GET', site)]).to.deep.equal(['FORBIDDEN', 200])
    expect(await answerTo('POST', 'same-origin')).to.equal(200)
    await service.stop()
  })
})

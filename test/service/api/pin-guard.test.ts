import { expect } from 'chai'
import { NOTHING_INHERITED } from '../../../src/domain/policy/inheritance.ts'
import { HELD_LABEL } from '../../../src/domain/workload/workload.ts'
import { aUser } from '../../support/fake-cluster.ts'
import { AUTH, NOON, Service } from './service.ts'
import { RULES } from '../../support/rules.ts'
import { managed, pinned, unreadable } from './states.ts'

const TOKEN = 'that-of-a-patcher'

describe('a pin, for a caller who may patch its workload and not scale it', () => {
  let service: Service
  let enabling: string | undefined

  beforeEach(async () => {
    enabling = undefined
    const inherited = () =>
      enabling === undefined
        ? NOTHING_INHERITED
        : ({ settings: { enabled: { text: enabling, source: 'namespace/shop' } } } as const)
    service = await Service.start({ auth: AUTH.both }, { rules: { ...RULES, inherited } })
    service.cluster.users.set(TOKEN, aUser('patcher'))
    service.cluster.allows = (_user, { verb }) => verb !== 'update'
  })
  afterEach(() => service.stop())

  const answerTo = async (request: string) => {
    const { code = 'OK' } = await service.call(request, { token: TOKEN })
    return code
  }
  const pinState = async () => (await service.call('GET shop/deployments/web')).body.data['pin_state']

  const override = { override: { until: null, at: NOON - 1000, by: 'local:bob' } } as const
  for (const [what, state, request] of [
    ['pinned', pinned, 'disable?'],
    ['pinned', pinned, 'disable?inherit=true'],
    ['pinned', pinned, 'enable?inherit=true'],
    ['overridden', override, 'disable?'],
  ] as const)
    it(`is not cleared by ${request} of what is ${what}`, async () => {
      service.cluster.put(managed(state))
      const before = service.cluster.snapshot()
      for (const query of ['', '&dryRun=true']) {
        const { code, body } = await service.call(`POST shop/deployments/web/${request}${query}`, {
          token: TOKEN,
        })
        expect(code).to.equal('FORBIDDEN')
        expect(body.error.message).to.match(
          new RegExp(`^deployment shop/web is ${what}, .* may not update deployments.apps/scale`),
        )
      }
      expect(service.cluster.snapshot()).to.equal(before)
    })

  it('is not cleared by repairing a state that cannot be read, where its label remains', async () => {
    for (const label of ['pin', 'override']) {
      service.cluster.put(unreadable({ labels: { [HELD_LABEL]: label } }))
      expect(await answerTo('POST shop/deployments/web/enable'), label).to.equal('FORBIDDEN')
      expect(service.cluster.live(unreadable()).labels).to.include({ [HELD_LABEL]: label })
    }
    service.cluster.put(unreadable())
    expect(await answerTo('POST shop/deployments/web/enable')).to.equal('OK')
  })

  it('is not put out of force by inheriting an enabled that means nothing', async () => {
    enabling = 'ture'
    service.cluster.put(managed(pinned))
    expect(await answerTo('POST shop/deployments/web/enable?inherit=true')).to.equal('OK')
    expect(await pinState()).to.equal('active')
  })

  it('is no reason to refuse what keeps it', async () => {
    enabling = 'true'
    service.cluster.put(managed(pinned))
    for (const request of ['enable?inherit=true', 'enable'])
      expect(await answerTo(`POST shop/deployments/web/${request}`)).to.equal('OK')
    expect(await pinState()).to.equal('active')
  })
})

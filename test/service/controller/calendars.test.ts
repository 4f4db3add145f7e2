import { expect } from 'chai'
import { calendarOf, type Calendar } from '../../../src/domain/schedule/calendar.ts'
import { settled } from '../../support/fake-time.ts'
import { at, rulesWith } from '../../support/rules.ts'
import { aDeployment } from '../../support/workloads.ts'
import { aNamespace } from '../../domain/policy/inheriting.ts'
import { aRig } from './rig.ts'

const sleeper = (name: string, calendar: string) =>
  aDeployment(name)
    .withReplicas(2)
    .enabled()
    .scheduled('8:00-18:00')
    .annotated({ calendar })
    .woken({ at: at('Mon 8:00'), trigger: 'schedule' })

describe('a calendar that changes', () => {
  it('moves the workloads that use it at once, and costs no plan for others', async () => {
    const known = new Map<string, Calendar | string>([
      ['de', calendarOf('de', {})],
      ['fr', calendarOf('fr', {})],
    ])
    const rig = aRig(at('Tue 9:00'))
    const calendars = { find: (name: string) => known.get(name), names: [...known.keys()] }
    rig.rules.compile = rulesWith({}, calendars).compile
    rig.cluster.put(sleeper('shop/german', 'de'))
    rig.cluster.put(sleeper('shop/both', 'fr,de'))
    rig.cluster.put(sleeper('shop/french', 'fr'))
    await rig.start()
    expect(rig.moves()).to.deep.equal([])
    const planned = rig.planned()
    known.set('de', calendarOf('de', { '2026-03-03': '' }, { revision: 1 }))
    rig.calendarsChanged('de')
    await settled()
    expect(rig.moves()).to.have.members(['snooze shop/german', 'snooze shop/both'])
    expect(rig.planned() - planned).to.be.below(6)
  })

  it('that a Namespace names and nobody knows is told of there, once, and again when it is known and then broken', async () => {
    const known = new Map<string, Calendar | string>()
    const rig = aRig(at('Tue 9:00'))
    rig.rules.compile = rulesWith({}, { find: (name) => known.get(name), names: ['de'] }).compile
    const shop = aNamespace({ annotations: { calendar: 'de' } })
    rig.cluster.namespaces = [shop]
    await rig.start()
    expect(rig.told.events).to.deep.equal(['Warning InvalidSetting shop'])
    expect(rig.told.messages[0]).to.match(
      /^dormouse\.dev\/calendar: there is no calendar 'de': write one of de\./,
    )
    rig.cluster.namespaceChanged(shop, { ...shop, labels: { env: 'dev' } })
    known.set('de', calendarOf('de', {}))
    rig.calendarsChanged('de', 'fr')
    expect(rig.told.events).to.have.length(1)
    known.set('de', 'company.ics: there is no such file')
    rig.calendarsChanged('de')
    rig.calendarsChanged('fr')
    expect(rig.told.events).to.have.length(2)
    expect(rig.told.messages[1]).to.include('calendar de cannot be used: company.ics')
  })
})

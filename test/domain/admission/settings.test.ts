import { expect } from 'chai'
import { annotationFault, SETTINGS, withoutEffect } from '../../../src/domain/admission/annotations.ts'
import { at, calendarsOf, rulesWith } from '../../support/rules.ts'
import { updated } from './updates.ts'
import { heirIn } from '../policy/inheriting.ts'
import type { Rules } from '../../../src/domain/deciding/rules.ts'
import { aDeployment, type AWorkload } from '../../support/workloads.ts'

const NOW = at('Mon 12:00')
const RULES = rulesWith({}, calendarsOf({ de: { '2026-03-03': '' } }))
const bare = aDeployment().enabled().scheduled('8:00-18:00')
const warnings = (before: AWorkload, after: AWorkload, unknown: string[] = [], rules: Rules = RULES) =>
  withoutEffect(before, after, unknown, NOW, rules)

describe('what belongs to a schedule', () => {
  for (const [annotations, says] of [
    [{ autoWake: 'no' }, 'dormouse.dev/auto-wake: write "true" or "false"'],
    [{ awakeUntil: 'tomorrow' }, 'dormouse.dev/awake-until: expected a time with an offset'],
    [{ wakeOrder: '10' }, 'dormouse.dev/wake-order: write a number from 0 to 9'],
    [{ sleepOrder: 'first' }, 'dormouse.dev/sleep-order: write a number from 0 to 9'],
    [{ calendar: 'de;fr' }, 'dormouse.dev/calendar: write names of calendars, separated by commas'],
  ] as const)
    it(`is refused where it cannot be read: ${JSON.stringify(annotations)}`, () => {
      const broken = bare.annotated(annotations)
      expect(annotationFault(SETTINGS, bare.annotations, broken.annotations)).to.include(says)
      expect(annotationFault(SETTINGS, broken.annotations, broken.annotations), 'it was so before').to.equal(
        undefined,
      )
    })

  it('is accepted where it can be read, also empty', () => {
    for (const [name, values] of [
      ['calendar', ['', 'de, fr']],
      ['awakeUntil', ['', '2026-03-04', '2026-03-04T10:00Z']],
      ['wakeOrder', ['', '0', '9']],
      ['autoWake', ['', 'true', 'false']],
    ] as const)
      for (const value of values) {
        const { annotations } = bare.annotated({ [name]: value })
        expect(annotationFault(SETTINGS, bare.annotations, annotations), `${name}: ${value}`).to.equal(
          undefined,
        )
      }
  })

  it('is warned of where the calendar is unknown or the time is over', () => {
    expect(warnings(bare, bare.annotated({ calendar: 'at' }))[0]).to.include(
      "dormouse.dev/calendar: there is no calendar 'at': write one of de",
    )
    expect(warnings(bare, bare.annotated({ awakeUntil: '2026-03-01' }))[0]).to.include(
      'dormouse.dev/awake-until has no effect, since that is over',
    )
    expect(warnings(bare, bare.annotated({ calendar: 'de', awakeUntil: '2026-03-02' }))).to.deep.equal([])
  })

  it('is warned of where its Namespace keeps it awake for longer', () => {
    const inherited = heirIn({ annotations: { awakeUntil: '2026-03-06T20:00Z' } }, [])
    const rules = { ...RULES, inherited: () => inherited }
    for (const [text, says] of [
      ['2026-03-04', ['lasts until 2026-03-06T20:00:00Z']],
      ['2026-03-08', []],
      ['', []],
    ] as const)
      expect(warnings(bare, bare.annotated({ awakeUntil: text }), [], rules).join()).to.match(
        new RegExp(says.join() || '^$'),
      )
  })

  it('is warned of where there is no schedule, or nothing is managed', () => {
    const unscheduled = aDeployment().enabled()
    expect(warnings(unscheduled, unscheduled.annotated({ wakeOrder: '1' }))[0]).to.include(
      'dormouse.dev/wake-order has no effect without dormouse.dev/schedule',
    )
    expect(warnings(aDeployment(), aDeployment().annotated({ autoWake: 'false' }))[0]).to.include(
      'dormouse.dev/auto-wake has no effect until dormouse.dev/enabled is "true"',
    )
  })

  it('is warned of where a schedule leaves out a minute, once', () => {
    const web = aDeployment('shop/web').enabled()
    const says = 'Dormouse: deployment shop/web: dormouse.dev/schedule: asleep for one minute from 23:59 on, '
    const after = web.scheduled('0:00-23:59')
    expect(updated(web, after).warnings[0]).to.include(says)
    expect(updated(after, after.labelled({ a: 'b' })).warnings).to.deep.equal([])
  })

  it('is named where it is mistyped', () => {
    for (const [mistyped, meant] of [
      ['autowake', 'auto-wake'],
      ['calender', 'calendar'],
      ['awake-til', 'awake-until'],
    ])
      expect(warnings(bare, bare, [`dormouse.dev/${mistyped}`])[0]).to.include(
        `did you mean dormouse.dev/${meant}?`,
      )
  })
})

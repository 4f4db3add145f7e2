import { expect } from 'chai'
import { effectiveSettings, type Effective } from '../../../src/domain/policy/effective.ts'
import { SETTING_NAMES, type SettingName } from '../../../src/domain/inheritable.ts'
import type { Source } from '../../../src/domain/policy/settings.ts'
import { inheriting, type Level } from './inheriting.ts'

const DEFAULTS = { timezone: 'UTC' }

/** For each setting: the values of two levels, and the default's meaning. */
const VALUES: Record<SettingName, { near: string; far: string; invalid: string; none: unknown }> = {
  enabled: { near: 'false', far: 'true', invalid: 'yes', none: false },
  schedule: { near: '8:00-18:00', far: '7:00-20:00', invalid: '8-18', none: undefined },
  timezone: { near: 'Asia/Tokyo', far: 'Europe/Berlin', invalid: 'Berlin', none: 'UTC' },
  calendar: { near: 'de-be', far: 'company', invalid: ',', none: undefined },
  autoWake: { near: 'true', far: 'false', invalid: 'no', none: true },
  deployWakes: { near: 'false', far: 'true', invalid: '1', none: false },
  asleepReplicas: { near: '1', far: '2', invalid: 'one', none: 0 },
  wakeOnTraffic: { near: 'page', far: 'any', invalid: 'yes', none: 'off' },
  trafficHold: { near: '2h', far: '1h', invalid: 'long', none: undefined },
}
const SOURCE: Record<Level, Source> = {
  workload: 'workload',
  namespace: 'namespace/shop',
  policy: 'policy/first',
}
const LEVELS: readonly Level[] = ['workload', 'namespace', 'policy']

/** The meaning of a found `text`. */
function meaning(name: SettingName, text: string): unknown {
  if (name === 'asleepReplicas') return text === 'one' ? 'unclear' : Number(text)
  if (!['enabled', 'autoWake', 'deployWakes'].includes(name)) return text
  return text === 'true' || text === 'false' ? text === 'true' : 'unclear'
}

/** In a policy of the configuration. */
function mayBeEmpty(name: SettingName): boolean {
  return name === 'schedule' || name === 'calendar'
}

function resolved(texts: Partial<Record<Level, Partial<Record<SettingName, string>>>>): Effective {
  return effectiveSettings(texts.workload ?? {}, inheriting(texts), DEFAULTS)
}

describe('the settings that hold for a workload', () => {
  for (const name of SETTING_NAMES) {
    const { near, far, invalid, none } = VALUES[name]
    const hasDefault = ['timezone', 'autoWake', 'deployWakes', 'asleepReplicas', 'wakeOnTraffic'].includes(
      name,
    )

    it(`${name}: absent everywhere, it is none, or the default`, () => {
      const { [name]: value, sources } = resolved({})
      expect({ value, source: sources[name] }).to.deep.equal({
        value: none,
        source: hasDefault ? 'default' : null,
      })
    })

    for (const [place, level] of LEVELS.entries()) {
      if (place > 0)
        it(`${name}: absent further in, it is what the ${level} says`, () => {
          const { [name]: found, sources } = resolved({ [level]: { [name]: near } })
          expect({ value: found, source: sources[name] }).to.deep.equal({
            value: meaning(name, near),
            source: SOURCE[level],
          })
        })

      const outer = Object.fromEntries(LEVELS.slice(place + 1).map((each) => [each, { [name]: far }]))
      const rows = [
        { what: 'set', text: near, value: meaning(name, near), source: SOURCE[level] },
        { what: 'empty', text: '', value: none, source: hasDefault ? 'default' : SOURCE[level] },
        { what: 'invalid', text: invalid, value: meaning(name, invalid), source: SOURCE[level] },
      ]
      // The configuration is checked when it is loaded.
      for (const { what, text, value, source } of rows.filter(
        (row) => level !== 'policy' || row.what === 'set' || (row.what === 'empty' && mayBeEmpty(name)),
      )) {
        it(`${name}: ${what} by the ${level}, it looks no further out`, () => {
          const { [name]: found, sources } = resolved({ ...outer, [level]: { [name]: text } })
          expect({ value: found, source: sources[name] }).to.deep.equal({ value, source })
        })
      }
    }
  }

  it('come each by itself', () => {
    const { enabled, schedule, timezone, sources } = resolved({
      workload: { timezone: 'Asia/Tokyo' },
      namespace: { schedule: '8:00-18:00' },
      policy: { enabled: 'true', schedule: '7:00-20:00', timezone: 'Europe/Berlin' },
    })
    expect({ enabled, schedule, timezone }).to.deep.equal({
      enabled: true,
      schedule: '8:00-18:00',
      timezone: 'Asia/Tokyo',
    })
    expect(sources).to.include({
      enabled: 'policy/first',
      schedule: 'namespace/shop',
      timezone: 'workload',
    })
  })
})

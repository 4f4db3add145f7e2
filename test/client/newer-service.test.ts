import { expect } from 'chai'
import { FORMAT } from '../../src/domain/records/published.ts'
import { encodeState } from '../../src/domain/workload/state-codec.ts'
import { EMPTY_STATE } from '../../src/domain/workload/state.ts'
import { ANNOTATION, ASLEEP_LABEL } from '../../src/domain/workload/workload.ts'
import { loadConfig } from '../../src/service/config/config.ts'
import { settingsForClients } from '../../src/wiring/published.ts'
import { aDeployment, consoleShows, NAMESPACE, NOW, over, reads } from './answering-cluster.ts'
import { typed } from './fake-dormouse.ts'
import { stateOf as shownByPage } from '../../src/words/state.ts'

const CONFIG = `
policies: [{ name: dev, namespaces: { names: [shop] }, enabled: true, schedule: '8:00-18:00,Mon-Fri' }]
calendars: { de: { dates: { 2026-03-03: '' } } }
savings: { prices: { currency: EUR, cpu: 0.031, memory: 0.004 } }
metrics: { teamLabel: team }`
const NEWER = 'the service is newer (9.9.9): update this program'

/** The answer that today's service publishes. */
const today = settingsForClients(loadConfig({ text: CONFIG, environment: {} }), {}, [], '9.9.9')

const SERVICES = {
  'of this format': today,
  'without a format': Object.fromEntries(Object.entries(today).filter(([key]) => key !== 'format')),
  'of the next format': { ...today, format: String(FORMAT + 1) },
  'with a key more': { ...today, terms: '{"north":"2026-02-20..2026-03-10"}' },
  'with a key more in a policy': {
    ...today,
    policies: (today['policies'] ?? '').replace('"name":"dev"', '"name":"dev","weekendsOff":true'),
  },
  'with a schedule of another grammar': {
    ...today,
    policies: (today['policies'] ?? '').replace('8:00-18:00,Mon-Fri', '8:00-18:00,every 2nd Fri'),
  },
}
/** By client: the highest format that it knows. */
const CLIENTS = { 'this client': FORMAT, 'the next client': FORMAT + 1 }

const KNOWS: Readonly<Record<keyof typeof SERVICES, readonly (keyof typeof CLIENTS)[]>> = {
  'of this format': ['this client', 'the next client'],
  'without a format': ['this client', 'the next client'],
  'of the next format': ['the next client'],
  'with a key more': [],
  'with a key more in a policy': [],
  'with a schedule of another grammar': [],
}

const snoozed = { at: NOW - 3_600_000, replicas: 4, trigger: 'schedule', by: null } as const
const pin = { state: 'snoozed', at: NOW - 60_000, by: 'k8s:ann' } as const
const stored = (more: object) =>
  encodeState({ ...EMPTY_STATE, kind: 'deployments', counter: 1, asleep: true, snoozed, ...more }).state ?? ''

/** Workloads whose own settings may mean something else to a newer service, too. */
const WORKLOADS = {
  'by the policy': aDeployment(),
  'with hours of its own': aDeployment({
    [ANNOTATION.enabled]: 'true',
    [ANNOTATION.schedule]: '8:00-18:00,Mon-Fri',
  }),
  'switched off by itself': aDeployment({ [ANNOTATION.enabled]: 'false' }),
  'asleep and pinned': {
    ...aDeployment({ [ANNOTATION.state]: stored({ pin }) }, { [ASLEEP_LABEL]: '4' }),
    spec: { replicas: 0, template: { spec: { containers: [] } } },
    status: { observedGeneration: 1, replicas: 0, readyReplicas: 0 },
  },
  'with a state that cannot be read': aDeployment({ [ANNOTATION.state]: '{"v":9}' }),
}

/** One command of this client over a cluster whose service published these settings. */
function person(data: Record<string, string>, object: object, format: number) {
  const { dormouse } = over(
    (request) =>
      request.path.split('?')[0] === NAMESPACE
        ? { body: { metadata: { name: 'shop', uid: 'n', labels: { team: 'web' } } } }
        : reads(request, data, object),
    undefined,
    undefined,
    format,
  )
  return { dormouse, type: (...line: string[]) => typed(line, { over: dormouse }) }
}

describe('an older client beside a newer service', () => {
  for (const [service, data] of Object.entries(SERVICES))
    for (const [client, format] of Object.entries(CLIENTS)) {
      const knows = KNOWS[service as keyof typeof SERVICES].includes(client as keyof typeof CLIENTS)
      const does = knows ? 'knows what a service publishes' : 'says unknown, and to update it, with a service'

      it(`${client} ${does} ${service}`, async () => {
        for (const [what, object] of Object.entries(WORKLOADS)) {
          const { type, dormouse } = person(data, object, format)
          for (const line of [
            ['why', 'web'],
            ['list'],
            ['list', '-o', 'wide'],
            ['status', 'web'],
            ['plan', 'web'],
          ]) {
            const { out, err } = await type(...line)
            const about = `${what}: ${line.join(' ')}: ${out}${err}`
            if (knows) {
              expect(out + err, about).to.not.match(/newer|unknown/)
              continue
            }
            expect(out, about).to.include('unknown')
            expect(err, about).to.include(`note: ${NEWER}`)
            // No hours, no denial and no advice that follows from what it read.
            expect(out, about).to.not.match(
              /8:00|18:00|19:00|of policy|nothing |disabled|turns it off|repair/,
            )
          }
          const { state, record } = await consoleShows(dormouse).then((shown) => ({
            state: shownByPage(shown),
            record: shown,
          }))
          if (knows) expect(state, what).to.not.equal('unknown')
          else
            expect([state, record.reason, record.next_transition]).to.deep.equal([
              'unknown',
              `unknown: ${NEWER}`,
              null,
            ])
          const [sum] = await dormouse.summaries({ namespace: 'shop' })
          if (!knows) expect([sum?.next_transition, sum?.policy.enabled.value]).to.deep.equal([null, null])
        }
        const { type } = person(data, WORKLOADS['by the policy'], format)
        const version = await type('version')
        expect(version).to.include({ code: 0, out: 'client   1.2.3\nservice  9.9.9 (cluster dev)\n' })
        const savings = await type('savings')
        expect(savings.out.includes('EUR'), savings.out).to.equal(knows)
        if (knows) expect(version.err + savings.err).to.equal('')
        else {
          expect(version.err).to.match(/^note: the service is newer \(9\.9\.9\): update this program/)
          expect(savings.err).to.include(`note: ${NEWER}. Prices and teams are not known here`)
        }
      })
    }

  it('can still ask for something: the service itself carries it out', async () => {
    const { dormouse } = over(
      (request) => {
        if (request.method !== 'PATCH') return reads(request, SERVICES['of the next format'])
        return { body: aDeployment(), warning: 'Dormouse: deployment shop/web put to sleep' }
      },
      undefined,
      undefined,
      FORMAT,
    )
    const { code, out } = await typed(['snooze', 'web'], { over: dormouse })
    expect({ code, out }).to.deep.equal({ code: 0, out: 'deployment.apps/web: put to sleep\n' })
  })
})

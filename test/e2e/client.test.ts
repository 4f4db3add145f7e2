import { systemClock } from '../../src/process/clock.ts'
import { connect } from '../../src/client/connect.ts'
import { dormouseSuite } from '../client/dormouse-suite.ts'
import { describeOn, describeOnBoth } from '../support/clusters.ts'
import { enforced } from '../support/enforced.ts'
import { isPublished, onlyIn } from '../support/developer.ts'

const POLICIES = [
  {
    name: 'elsewhere',
    namespaces: { names: ['elsewhere-*'] },
    enabled: true,
    schedule: '7:00-20:00,Mon-Fri',
  },
]
const CALENDARS = { company: { dates: { '2026-12-24..2027-01-01': '' } } }

const outside = (environment: Record<string, string> = {}) => ({
  clock: systemClock,
  environment,
  stderr: { write() {} },
  stopSignal: new AbortController().signal,
})

describeOnBoth('the client', function (on) {
  this.timeout(150_000)
  const here = enforced(on, { settings: { policies: POLICIES, calendars: CALENDARS } })

  describe('through the cluster', () => {
    before('the policies are published', () => isPublished(on(), 'policies'))

    dormouseSuite(here, () => connect({ kubeconfig: on().adminKubeconfig }, outside()))
  })

  describe('over HTTP', () => {
    dormouseSuite(here, async () => {
      const token = await here.dormouse.tokens.token()
      return connect({ server: here.api.url }, outside({ DORMOUSE_TOKEN: token }))
    })
  })
})

describeOn('the client where policies are not published', function (on) {
  this.timeout(150_000)
  const here = enforced(on, { settings: { publish: false, policies: POLICIES, calendars: CALENDARS } })

  before('that is what is published', () => isPublished(on(), 'unpublished'))

  describe('of a developer with one namespace, through the cluster', () => {
    dormouseSuite(
      here,
      async () => connect({ kubeconfig: await onlyIn(here, 'dinah') }, outside()),
      () => false,
    )
  })
})

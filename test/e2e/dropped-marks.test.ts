import { expect } from 'chai'
import {
  ANNOTATION,
  STATE_ANNOTATIONS,
  ASLEEP_LABEL,
  KINDS,
  SNOOZE_KEY,
  type Kind,
} from '../../src/domain/workload/workload.ts'
import { dormouse } from '../control-plane/dormouse-account.ts'
import { describeOn } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import type { KubectlObject } from '../support/kubectl.ts'
import { annotated, countOf } from '../support/manifests.ts'
import { AdmissionServer, changedBy, CONFIGURATIONS } from '../support/admission-server.ts'
import { asleepNow } from '../support/schedules.ts'
import { served } from '../support/served.ts'
import { marksOf } from './agreement.ts'

const ADMISSION = '/apis/admissionregistration.k8s.io/v1'
const BINDING = `${ADMISSION}/validatingadmissionpolicybindings/${dormouse.name}`
const COUNT = 5

/** It removes unknown fields from every write: our state, its history and our label. */
const aPolicyEngine = () => {
  const removal = (field: 'annotations' | 'labels', name: string, present: object | undefined) =>
    present && name in present
      ? [{ op: 'remove', path: `/metadata/${field}/${name.replace('/', '~1')}` }]
      : []
  return AdmissionServer.start(
    ({
      object: {
        metadata: { annotations, labels },
      },
    }) =>
      changedBy([
        ...STATE_ANNOTATIONS.flatMap((each) => removal('annotations', ANNOTATION[each], annotations)),
        ...removal('labels', ASLEEP_LABEL, labels),
      ]),
  )
}

for (const policy of [true, false])
  describeOn(
    `an admission webhook of somebody else that drops our marks, ${policy ? 'with' : 'without'} the chart's policy`,
    function (on) {
      this.timeout(120_000)
      const here = served(on, { newWorkloadGrace: '0s' })
      const name = `drops-${process.pid}-${policy}`
      let engine: AdmissionServer
      const runs = (kind: Kind, { spec }: KubectlObject) =>
        kind === 'daemonsets'
          ? spec.template?.spec.nodeSelector?.[SNOOZE_KEY] === undefined
          : kind === 'cronjobs'
            ? spec.suspend !== true
            : spec.replicas === COUNT

      before('it is called for what has the label `dropped`', async () => {
        engine = await aPolicyEngine()
        await on().admin.expect('PATCH', BINDING, {
          spec: { validationActions: [policy ? 'Deny' : 'Audit'] },
        })
        await here.create('deployments', 'probe', { replicas: 1 })
        await eventually(`the policy to ${policy ? 'deny' : 'pass'}`, async () => {
          const path = `${here.path('deployments', 'probe')}?dryRun=All`
          const as = { 'impersonate-user': dormouse.username }
          const { status } = await on().admin.send('PATCH', path, { spec: { replicas: 0 } }, as)
          return (status === 200) !== policy
        })
        const rule = { apiVersions: ['v1'], operations: ['UPDATE'] }
        await on().admin.expect('POST', CONFIGURATIONS, {
          metadata: { name },
          webhooks: [
            engine.webhook({
              name: 'drops.example.com',
              rules: [
                {
                  ...rule,
                  apiGroups: ['apps'],
                  resources: ['deployments', 'statefulsets', 'replicasets', 'daemonsets'],
                },
                { ...rule, apiGroups: ['batch'], resources: ['cronjobs'] },
              ],
              objectSelector: { matchLabels: { dropped: 'yes' } },
              namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': here.namespace } },
            }),
          ],
        })
        for (const kind of KINDS) {
          await here.create(kind, 'dropped', { replicas: COUNT, labels: { dropped: 'yes' } })
          const annotations = { [ANNOTATION.state]: 'probe' }
          await eventually('the webhook to be called', async () => {
            const { metadata } = await on().admin.expect(
              'PATCH',
              `${here.path(kind, 'dropped')}?dryRun=All`,
              {
                metadata: { annotations },
              },
            )
            return (
              metadata?.['annotations'] === undefined ||
              !(ANNOTATION.state in (metadata['annotations'] as object))
            )
          })
        }
        for (const kind of KINDS)
          await on().admin.expect('PATCH', here.path(kind, 'dropped'), {
            metadata: { annotations: annotated(asleepNow()) },
          })
      })

      after('it is removed', async () => {
        await on().admin.send('PATCH', BINDING, { spec: { validationActions: ['Deny'] } })
        await on().admin.send('DELETE', `${CONFIGURATIONS}/${name}`)
        engine?.close()
      })

      for (const kind of KINDS)
        it(`${kind} that are due to sleep run on with their count, and an Event says why`, async () => {
          const message = await eventually('an Event', async () => {
            const events = await here.events('dropped')
            const failed = events.find(
              ({ reason, involvedObject }) =>
                reason === 'SnoozeFailed' && `${involvedObject.kind.toLowerCase()}s` === kind,
            )
            return failed?.message
          })
          expect(message).to.match(policy ? /only together with/ : /an admission webhook drops or changes/)
          const object = await here.get(kind, 'dropped')
          expect(runs(kind, object), JSON.stringify(object.spec)).to.equal(true)
          expect(marksOf(object).label).to.equal(undefined)
        })

      it('they sleep with their counts once it is gone', async () => {
        await on().admin.expect('DELETE', `${CONFIGURATIONS}/${name}`)
        for (const kind of KINDS) {
          const object = await eventually(
            `${kind} to sleep`,
            async () => {
              const found = await here.get(kind, 'dropped')
              return marksOf(found).state?.asleep && found
            },
            { timeout: 90_000, pause: 500 },
          )
          expect(runs(kind, object)).to.equal(false)
          if (kind !== 'daemonsets') expect(marksOf(object).label).to.equal(String(countOf(kind, COUNT)))
        }
      })
    },
  )

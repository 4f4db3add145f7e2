import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import { nameOf, type ImportedObject } from '../../../src/import/plan/imported-object.ts'
import { InForce } from '../../../src/import/plan/in-force.ts'
import { byNamespace, planOfKubeGreen } from '../../../src/import/plan/kube-green-plan.ts'

const NIGHT = Date.parse('2026-11-24T01:00:00Z')
const info: ImportedObject = {
  apiVersion: 'kube-green.com/v1alpha1',
  kind: 'SleepInfo',
  metadata: { namespace: 'shop', name: 'hours' },
  spec: { weekdays: '1-5', sleepAt: '20:00', wakeUpAt: '08:00', timeZone: 'Europe/Berlin' },
}
const web: ImportedObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace: 'shop', name: 'web' },
  spec: { replicas: 0 },
}
const base64 = (text: string) => Buffer.from(text).toString('base64')
const secret = (data: Record<string, string>): ImportedObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'shop', name: 'sleepinfo-hours' },
  data: Object.fromEntries(Object.entries(data).map(([name, text]) => [name, base64(text)])),
})
/** As it comes where the person may not read it. */
const NOT_READ: ImportedObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'shop', name: 'sleepinfo-hours' },
}
const planOf = (data: Record<string, string>) =>
  byNamespace([info, web, secret(data)]).flatMap((each) =>
    planOfKubeGreen(each, NIGHT, new InForce(), ' --context dev'),
  )
const planWith = (objects: readonly ImportedObject[], kept: Record<string, Record<string, object>>) => {
  const texts = Object.entries(kept).map(([kind, all]) => [
    kind,
    Object.fromEntries(Object.entries(all).map(([name, restore]) => [name, JSON.stringify(restore)])),
  ])
  const data = { 'original-resource-info': JSON.stringify(Object.fromEntries(texts)) }
  return byNamespace([info, ...objects, secret(data)]).flatMap((each) =>
    planOfKubeGreen(each, NIGHT, new InForce()),
  )
}
const API = { CronJob: 'batch/v1', HorizontalPodAutoscaler: 'autoscaling/v2' } as const
const named = (kind: keyof typeof API, name: string): ImportedObject => ({
  apiVersion: API[kind],
  kind,
  metadata: { namespace: 'shop', name },
})
/** The words of a command as a shell reads them. */
const pasted = (command: string) =>
  execFileSync('sh', ['-c', `set -- ${command}\nprintf '%s\\0' "$@"`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1)
const KEPT_OF_WEB = { 'Deployment.apps': { web: '{"spec":{"replicas":3}}' } }

describe('a SleepInfo, and with it its Secret,', () => {
  it('goes once all that it keeps is taken over', () => {
    const steps = planOf({ 'original-resource-info': JSON.stringify(KEPT_OF_WEB) })
    expect(steps.find(({ goes }) => goes)?.object).to.equal(info)
    expect(steps.some(({ verdict }) => verdict === 'refused')).to.equal(false)
  })

  it('stays while it keeps anything of a kind that nobody reads: it would be lost', () => {
    const rollouts = { 'Rollout.argoproj.io': { shop: '{"spec":{"replicas":4}}' } }
    const steps = planOf({ 'original-resource-info': JSON.stringify({ ...KEPT_OF_WEB, ...rollouts }) })
    expect(steps.some(({ goes }) => goes)).to.equal(false)
    const left = steps.find(({ object }) => object.kind === 'Rollout')
    expect(left && nameOf(left.object)).to.equal('rollout shop/shop')
    expect(left?.verdict).to.equal('refused')
    expect(left?.says.join('; ')).to.include(
      `kubectl patch rollout.argoproj.io shop -n shop --context dev --type merge -p '{"spec":{"replicas":4}}'`,
    )
  })

  it('asks for nothing in the name of who imports, whatever somebody wrote into it', () => {
    const annotations = { 'dormouse.dev/request': 'unpin' }
    const kept = { 'Deployment.apps': { web: JSON.stringify({ metadata: { annotations } }) } }
    const steps = planOf({ 'original-resource-info': JSON.stringify(kept) })
    const step = steps.find(({ object }) => object === web)
    expect(step?.verdict).to.equal('refused')
    expect(JSON.stringify(step?.patch ?? {})).to.not.include('request')
    for (const replicas of [1.5, 1e12, -1]) {
      const odd = { 'Deployment.apps': { web: JSON.stringify({ spec: { replicas } }) } }
      const oddSteps = planOf({ 'original-resource-info': JSON.stringify(odd) })
      const first = oddSteps.find(({ object }) => object === web)
      expect(first?.verdict, String(replicas)).to.equal('refused')
    }
  })

  it('puts back the bounds of an HPA and no more: whatever else a tenant wrote is left to a person', () => {
    const pod = {
      hostPID: true,
      serviceAccountName: 'privileged',
      containers: [{ name: 'backup', image: 'evil:1' }],
    }
    const jobTemplate = { spec: { template: { spec: pod } } }
    const steps = planWith([named('CronJob', 'backup'), named('HorizontalPodAutoscaler', 'web')], {
      'CronJob.batch': { backup: { spec: { suspend: false, schedule: '* * * * *', jobTemplate } } },
      'HorizontalPodAutoscaler.autoscaling': {
        web: {
          spec: { minReplicas: 2, maxReplicas: 5, scaleTargetRef: { kind: 'Deployment', name: 'evil' } },
        },
        'web-2': {},
      },
    })
    const patches = steps.flatMap(({ object, patch }) => (patch ? [[nameOf(object), patch]] : []))
    expect(patches).to.deep.include([
      'horizontalpodautoscaler shop/web',
      { spec: { minReplicas: 2, maxReplicas: 5 } },
    ])
    for (const evil of ['hostPID', 'evil', '* * * * *', 'jobTemplate'])
      expect(JSON.stringify(patches)).to.not.include(evil)
    const refused = steps.filter(({ verdict }) => verdict === 'refused').map(({ object }) => nameOf(object))
    expect(refused).to.include.members([
      'cronjob shop/backup',
      'horizontalpodautoscaler shop/web',
      'sleepinfo shop/hours',
    ])
    for (const bounds of [
      { minReplicas: '2' },
      { minReplicas: -1 },
      { maxReplicas: 1.5 },
      { minReplicas: { a: 1 } },
    ]) {
      const odd = planWith([named('HorizontalPodAutoscaler', 'web')], {
        'HorizontalPodAutoscaler.autoscaling': { web: { spec: bounds } },
      })
      expect(odd.find(({ object }) => object.kind === 'HorizontalPodAutoscaler')?.patch).to.equal(undefined)
    }
  })

  it('takes over a count beside which a tenant wrote more, and refuses the rest', () => {
    const steps = planWith([web], {
      'Deployment.apps': { web: { spec: { replicas: 3, template: { spec: { hostPID: true } } } } },
    })
    const of = steps.filter(({ object }) => object === web)
    expect(of.map(({ verdict, recorded }) => [verdict, recorded])).to.deep.equal([
      ['mapped', 3],
      ['refused', undefined],
    ])
    expect(JSON.stringify(of.map(({ patch }) => patch ?? {}))).to.not.include('hostPID')
    expect(steps.some(({ goes }) => goes)).to.equal(false)
  })

  it('prints commands that do as printed what is kept, and nothing else, when they are pasted', () => {
    for (const evil of [
      "'; touch pwned; echo '",
      '`touch pwned`',
      '$(touch pwned)',
      'a\ntouch pwned\n',
      '\u202E',
    ]) {
      const restore = { metadata: { name: evil }, spec: { note: evil } }
      const steps = planWith([], { 'ConfigMap.': { x: restore }, 'Rollout.argoproj.io': { web: restore } })
      const commands = steps
        .flatMap(({ says }) => says)
        .flatMap((each) => /: (kubectl .*)$/s.exec(each)?.[1] ?? [])
      expect(commands).to.have.length(2)
      for (const [index, resource] of ['configmap', 'rollout.argoproj.io'].entries()) {
        const [name, patch] = [['x', 'web'][index], pasted(commands[index] ?? '').at(-1) ?? '']
        expect(pasted(commands[index] ?? '').slice(0, -1)).to.deep.equal([
          'kubectl',
          'patch',
          resource,
          name,
          '-n',
          'shop',
          '--type',
          'merge',
          '-p',
        ])
        expect(JSON.parse(patch)).to.deep.equal(restore)
      }
    }
    for (const name of ['--kubeconfig=/tmp/x', 'a b', "'", '', '-A', 'web\n']) {
      const steps = planWith([], { 'Rollout.argoproj.io': { [name]: { spec: { replicas: 1 } } } })
      expect(JSON.stringify(steps), name).to.not.include('kubectl')
    }
  })

  it('and all beside it stay as they are while its Secret cannot be read: a schedule would find its sleepers at 0', () => {
    for (const kept of [secret({ 'original-resource-info': '{' }), NOT_READ]) {
      const steps = byNamespace([info, web, kept]).flatMap((each) =>
        planOfKubeGreen(each, NIGHT, new InForce()),
      )
      expect(steps.map(({ object, verdict, patch }) => [object.kind, verdict, patch])).to.deep.equal([
        ['Secret', 'refused', undefined],
        ['SleepInfo', 'refused', undefined],
      ])
    }
  })

  for (const [what, data] of [
    ['no JSON', { 'original-resource-info': '{"Deployment.apps"' }],
    [
      'a patch that is none',
      { 'original-resource-info': JSON.stringify({ 'Deployment.apps': { web: '{' } }) },
    ],
    [
      'no spec',
      { 'original-resource-info': JSON.stringify({ 'Deployment.apps': { web: '{"spec":null}' } }) },
    ],
    ['a list of old that is none', { 'deployment-replicas': 'web=3' }],
  ] as const)
    it(`stays while it cannot be read: ${what}`, () => {
      const steps = planOf(data)
      expect(steps.some(({ goes }) => goes)).to.equal(false)
      expect(steps.find(({ object }) => object.kind === 'Secret')?.verdict).to.equal('refused')
    })
})

describe("operators' resources that a SleepInfo patches", () => {
  const cluster = (hibernation?: string): ImportedObject => ({
    apiVersion: 'postgresql.cnpg.io/v1',
    kind: 'Cluster',
    metadata: {
      namespace: 'shop',
      name: 'db',
      ...(hibernation && { annotations: { 'cnpg.io/hibernation': hibernation } }),
    },
  })
  const postgresql = (numberOfInstances: number): ImportedObject => ({
    apiVersion: 'acid.zalan.do/v1',
    kind: 'postgresql',
    metadata: { namespace: 'shop', name: 'db' },
    spec: { numberOfInstances },
  })
  const patch = (group: string, kind: string, path: string, value: unknown) => ({
    target: { group, kind },
    patch: JSON.stringify([{ op: 'add', path, value }]),
  })
  const HIBERNATE = patch('postgresql.cnpg.io', 'Cluster', '/metadata/annotations/cnpg.io~1hibernation', 'on')
  const STOP = patch('acid.zalan.do', 'postgresql', '/spec/numberOfInstances', 0)
  const planOfOne = (object: ImportedObject, own: typeof STOP, kept: object) => {
    const patched = { ...info, spec: { ...info.spec, patches: [own] } }
    const key = `${object.kind}.${object.apiVersion.replace('/v1', '')}`
    const data = { 'original-resource-info': JSON.stringify({ [key]: { db: JSON.stringify(kept) } }) }
    return byNamespace([patched, object, secret(data)]).flatMap((each) =>
      planOfKubeGreen(each, NIGHT, new InForce()),
    )
  }
  const off = (value: string | null) => ({ metadata: { annotations: { 'cnpg.io/hibernation': value } } })

  for (const [what, object, own, kept, count] of [
    ['a hibernated cluster', cluster('on'), HIBERNATE, off('off'), 1],
    ['one that had no such annotation', cluster('on'), HIBERNATE, off(null), 1],
    ['one with a count', postgresql(0), STOP, { spec: { numberOfInstances: 3 } }, 3],
  ] as const)
    it(`are adopted where the patch says what a preset does: ${what}`, () => {
      const steps = planOfOne(object, own, kept)
      expect(steps.map(({ verdict }) => verdict)).to.not.include('refused')
      const step = steps.find((each) => each.object === object)
      expect(step?.recorded).to.equal(count)
      expect(JSON.stringify(step?.patch)).to.include(`adopt`)
    })

  it('stay with their SleepInfo where none was found: the cluster may serve them elsewhere', () => {
    const kept = { 'Cluster.postgresql.cnpg.io': { db: JSON.stringify(off('off')) } }
    const data = { 'original-resource-info': JSON.stringify(kept) }
    const steps = byNamespace([
      { ...info, spec: { ...info.spec, patches: [HIBERNATE] } },
      secret(data),
    ]).flatMap((each) => planOfKubeGreen(each, NIGHT, new InForce()))
    expect(steps.some(({ goes }) => goes)).to.equal(false)
    expect(steps.find(({ object }) => object.kind === 'Cluster')?.verdict).to.equal('refused')
  })

  it('are left to a person where it says anything else, or more is kept', () => {
    const other = patch('postgresql.cnpg.io', 'Cluster', '/spec/instances', 1)
    for (const [own, kept] of [
      [other, { spec: { instances: 3 } }],
      [HIBERNATE, { ...off('off'), spec: { instances: 3 } }],
    ] as const) {
      const step = planOfOne(cluster('on'), own, kept).find(({ object }) => object.kind === 'Cluster')
      expect(step?.verdict).to.equal('refused')
    }
  })
})

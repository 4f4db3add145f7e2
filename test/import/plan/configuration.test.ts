import { expect } from 'chai'
import { configurationOf } from '../../../src/import/plan/configuration.ts'
import { InForce } from '../../../src/import/plan/in-force.ts'
import { planOfDownscaler } from '../../../src/import/plan/downscaler-plan.ts'
import { programOf } from '../../../src/import/plan/program.ts'
import { leftBy, RECORDED } from './recording.ts'

describe("a downscaler's arguments and environment as configuration", () => {
  it('are one policy, with the namespaces that are left out', () => {
    const { policies, excludeNamespaces, byHand } = configurationOf(leftBy('py-kube-downscaler'), RECORDED)
    expect(policies).to.deep.equal([
      {
        name: 'imported',
        namespaces: { names: ['*'] },
        workloads: { kinds: ['deployments', 'statefulsets', 'cronjobs', 'daemonsets'] },
        enabled: true,
        schedule: '7:30-20:30,Mon-Fri',
        timezone: 'Europe/Berlin',
      },
    ])
    expect(excludeNamespaces).to.deep.equal(['py-kube-downscaler'])
    expect(byHand).to.include('jobs: Jobs end by themselves')
  })

  it('name the presets that the databases need which it put to sleep', () => {
    const left = leftBy('gokubedownscaler-main')
    const resources = ['postgresqls', 'cnpgclusters', 'jobs']
    const { policies, byHand } = configurationOf(
      { ...left, program: { ...left.program, resources } },
      RECORDED,
    )
    expect(policies[0]?.workloads.kinds).to.deep.equal([
      'postgresqls.acid.zalan.do',
      'clusters.postgresql.cnpg.io',
    ])
    expect(byHand).to.deep.equal([
      'postgresqls: add the preset zalando-postgres to kinds, if it is not there (docs/kinds.md)',
      'cnpgclusters: add the preset cloudnative-pg to kinds, if it is not there (docs/kinds.md)',
      'jobs: Jobs end by themselves',
      '--grace-period=5s: set newWorkloadGrace, which is for all (docs/configuration.md)',
    ])
  })

  it('say of kinds that are not read that what sleeps there goes on sleeping', () => {
    const left = leftBy('py-kube-downscaler')
    const resources = ['stacks', 'autoscalingrunnersets']
    expect(configurationOf({ ...left, program: { ...left.program, resources } }, RECORDED).byHand)
      .to.include('stacks: Stacks are not supported; those that sleep stay so: wake them by hand')
      .and.include(
        'autoscalingrunnersets: Dormouse does not know them; those that sleep stay so: wake them by hand',
      )
  })

  it('take namespaces to leave out as each tool does', () => {
    const spaces = ['team', 'team-a', 'my-team'].map((name) => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
    }))
    const leftOut = (dialect: 'py' | 'go', ...args: string[]) =>
      configurationOf(
        {
          dialect,
          program: programOf(args, { EXCLUDE_NAMESPACES: 'team' }, dialect),
          namespaces: spaces,
          objects: [],
        },
        RECORDED,
      ).excludeNamespaces
    expect(leftOut('py')).to.deep.equal(['team'])
    expect(leftOut('py', '--exclude-namespaces=te.*')).to.deep.equal(['team', 'team-a'])
    expect(leftOut('py', '--namespace=team,team-a')).to.deep.equal([])
    expect(leftOut('go')).to.deep.equal(['team', 'team-a', 'my-team'])
    expect(leftOut('go', '--namespace=team')).to.deep.equal(['team', 'team-a', 'my-team'])
  })

  it('leave out the namespace in which the tool itself runs, which a policy would put to sleep with the others', () => {
    const left = leftBy('gokubedownscaler-main')
    expect(configurationOf(left, RECORDED).excludeNamespaces).to.deep.equal([left.home])
    expect(left.home).to.equal('go14-downscaler')
  })

  it('without default times the policy enables nothing, since the tool left alone what says nothing', () => {
    const left = leftBy('gokubedownscaler')
    const program = { ...left.program, args: {}, env: {} }
    const [policy] = configurationOf({ ...left, program }, RECORDED).policies
    expect(policy).to.not.have.any.keys('enabled', 'schedule')
  })

  it('without any times, what says nothing needs no step: it is neither changed nor refused', () => {
    const left = leftBy('gokubedownscaler')
    const silent = left.objects.find(({ kind }) => kind === 'Deployment')
    if (!silent) throw new TypeError('the recording has no Deployment')
    const metadata = { ...silent.metadata, name: 'silent', annotations: {} }
    const objects = [{ ...silent, metadata }]
    const program = { ...left.program, args: {}, env: {} }
    const steps = planOfDownscaler({ ...left, namespaces: [], objects, program }, RECORDED, new InForce())
    expect(steps).to.deep.equal([])
  })

  it('what others manage beyond its --namespace needs no step: the tool never looked there', () => {
    const left = leftBy('py-kube-downscaler')
    const plain = left.objects.find(({ kind }) => kind === 'Deployment')
    if (!plain) throw new TypeError('the recording has no Deployment')
    const metadata = { namespace: 'others', name: 'web', annotations: {} }
    const dev = { name: 'dev', namespaces: { names: ['others'] }, enabled: true, schedule: '7:00-20:00' }
    const force = new InForce().with({ policies: [dev], excludeNamespaces: [] })
    const planned = (namespaces: readonly string[]) =>
      planOfDownscaler(
        {
          ...left,
          program: { ...left.program, namespaces, excludedNames: [/^web$/] },
          namespaces: [],
          objects: [{ ...plain, metadata }],
        },
        RECORDED,
        force,
      ).map(({ patch }) => patch)
    expect(planned(['shop'])).to.deep.equal([])
    expect(planned(['others'])).to.deep.equal([
      { metadata: { annotations: { 'dormouse.dev/enabled': 'false' } } },
    ])
  })

  it('flags without an equal are named with their values, and no flag that changes nothing', () => {
    const named = (dialect: 'py' | 'go', env: Record<string, string>, ...args: string[]) =>
      configurationOf(
        { ...leftBy('gokubedownscaler'), dialect, program: programOf(args, env, dialect) },
        RECORDED,
      ).byHand
    expect(named('go', {}, '--explicit-include', '--scale-children=false')).to.deep.equal([
      '--explicit-include: Dormouse has nothing of the kind',
    ])
    const quiet = ['-d', '--enable-events', '--once', '--max-retries-on-throttling=3', '--interval', '60']
    expect(named('py', {}, ...quiet)).to.deep.equal([])
    expect(named('py', {}, '--dry-run', '--deployment-time-annotation', 'ci/at').join()).to.match(
      /^--dry-run: the tool put nothing to sleep.*--deployment-time-annotation=ci.at: newWorkloadGrace/,
    )
    const env = { GRACE_PERIOD: '900', ADMISSION_CONTROLLER: 'kyverno' }
    expect(named('py', env, '--grace-period=60').join()).to.match(
      /^--grace-period=60: set newWorkloadGrace.*--admission-controller=kyverno: its policies go on refusing Jobs/,
    )
    expect(named('go', env)).to.deep.equal([])
  })
})

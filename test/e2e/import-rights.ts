import { expect } from 'chai'
import { sundayNight, type OldCluster } from './old-cluster.ts'
import { grant, takeBack, user, type Rule } from '../support/rights.ts'

/** The Namespace that the person may not write, and the one whose Secrets the person may not read. */
const [CLOSED, SECRET] = ['kg-shop', 'kg-data']
const PERSON = 'ida'

/** Defines the tests of an import by a person who may not do all of it: the rest is done whole, or not at all. */
export function byAPersonWithFewRights({ on, here, clock, left }: OldCluster): void {
  const namespaces = left.objects
    .filter(({ kind }) => kind === 'Namespace')
    .map(({ metadata }) => metadata.name)
  let kubeconfig: string

  before('what was left is there, and a person with some rights', async function () {
    this.timeout(120_000)
    await here.dormouse.terminate()
    clock.moveTo(sundayNight() - Date.now())
    await here.dormouse.start()
    await here.inForce()
    await left.load({ isStopped: true })
    kubeconfig = (await on().personKubeconfig?.(PERSON)) ?? ''
    const { admin } = on()
    await grant(admin, user(PERSON), { name: 'importer', rights: rights(namespaces) })
    const secrets = [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }]
    for (const namespace of namespaces.filter((name) => name !== SECRET))
      await grant(admin, user(PERSON), { name: 'import-secrets', rights: secrets, namespace })
  })

  after(() => takeBack(on().admin, 'importer'))

  it('it says which namespaces it leaves, changes nothing in them, and takes the others over whole', async function () {
    this.timeout(120_000)
    const closed = () => marksIn([CLOSED, SECRET])
    const before = await closed()
    const { code, stderr } = await left.import(['--partial'], { kubeconfig })
    expect(code).to.equal(1)
    expect(stderr).to.match(
      /deployment kg-shop\/web: its namespace is left as it is, since that cannot be written: /,
    )
    expect(await closed()).to.deep.equal(before)
    const others = left.sleepers.filter(
      ({ namespace }) => namespace === 'kg-include' || namespace === 'kg-overlap',
    )
    expect(others.length).to.be.above(3)
    expect(await left.lost(others)).to.deep.equal([])
  })

  it('somebody who may do all repeats it, and every count is kept', async function () {
    this.timeout(120_000)
    const { code, stdout, stderr } = await left.import(['--partial'])
    expect(code, stderr).to.equal(0)
    const adopted = left.sleepers.filter(
      ({ kind, namespace, name }) =>
        namespace !== 'kg-patches' && stdout.includes(`${kind.toLowerCase()} ${namespace}/${name}: `),
    )
    expect(adopted.map(({ namespace }) => namespace)).to.include.members([CLOSED, SECRET])
    expect(await left.lost(adopted)).to.deep.equal([])
    const verified = await left.import(['--verify'])
    expect(verified.code, verified.stdout).to.equal(0)
  })

  /** The annotations by Dormouse or an import on each sleeper and each Namespace. */
  async function marksIn(names: readonly string[]): Promise<unknown[]> {
    const there = left.sleepers.filter(({ namespace }) => names.includes(namespace))
    const own = names.map((name) => ({ kind: 'Namespace', namespace: '', name }))
    return Promise.all(
      there
        .map(async (each) => marksOf(await left.read(each)))
        .concat(
          own.map(async ({ name }) => marksOf(await on().admin.expect('GET', `/api/v1/namespaces/${name}`))),
        ),
    )
  }
}

function marksOf({ metadata = {} }: { metadata?: object }): unknown {
  const { annotations = {}, labels = {} } = metadata as Record<'annotations' | 'labels', object | undefined>
  const ours = Object.entries({ ...annotations, ...labels }).filter(([name]) =>
    name.startsWith('dormouse.dev/'),
  )
  return ours
}

/** Everywhere, but that one Namespace itself cannot be written. */
function rights(namespaces: readonly string[]): Rule[] {
  const writable = namespaces.filter((name) => name !== CLOSED)
  return [
    {
      apiGroups: ['apps', 'batch', 'autoscaling'],
      resources: ['deployments', 'statefulsets', 'daemonsets', 'cronjobs', 'horizontalpodautoscalers'],
      verbs: ['get', 'list', 'patch'],
    },
    { apiGroups: ['kube-green.com'], resources: ['sleepinfos'], verbs: ['get', 'list', 'delete'] },
    { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'patch'], resourceNames: writable },
  ]
}

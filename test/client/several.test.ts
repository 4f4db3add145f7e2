import { expect } from 'chai'
import { clusterNames } from '../../src/client/cluster-names.ts'
import type { Dormouse } from '../../src/client/ports.ts'
import { chosenContexts } from '../../src/client/several.ts'
import { VERBS } from '../../src/cli/people/catalogue.ts'
import { Refusal, UsageError } from '../../src/process/errors.ts'
import { aRecord, anAsleepRecord, FakeDormouse, typed } from './fake-dormouse.ts'

/** A cluster to which every read fails. */
class LostDormouse extends FakeDormouse {
  readonly #why: Error

  constructor(name: string, why?: Error) {
    super({ place: `cluster ${name}` })
    this.#why = why ?? new Refusal('CLUSTER_UNAVAILABLE', `${this.place} cannot be reached (no route)`)
  }

  override async list(): Promise<never> {
    throw this.#why
  }

  override async get(): Promise<never> {
    throw this.#why
  }

  // oxlint-disable-next-line require-yield
  override async *watch(): AsyncGenerator<never> {
    throw this.#why
  }
}

/** One whose service has a name for it. */
class Called extends FakeDormouse {
  readonly clusterName: string

  constructor(name: string, given: ConstructorParameters<typeof FakeDormouse>[0]) {
    super(given)
    this.clusterName = name
  }

  override async whoami() {
    return { cluster: this.clusterName, user: 'ann' }
  }
}

/** The clusters that the page behind a console's link is told, and the answer at the path of `dev-eu`. */
async function indexOf(link: string) {
  const { origin, hash } = new URL(link)
  const headers = { 'X-Dormouse-Secret': hash.replace('#secret=', '') }
  const signedIn = await fetch(`${origin}/console/sign-in`, { method: 'POST', headers })
  const { token } = (await signedIn.json()) as { token: string }
  const read = async (path: string) => {
    const answer = await fetch(`${origin}/api/v1${path}`, { headers: { Authorization: `Bearer ${token}` } })
    return ((await answer.json()) as { data: Record<string, unknown> }).data
  }
  return { ...(await read('')), within: (await read('/clusters/dev-eu'))['cluster'] }
}

const dev1 = () =>
  new FakeDormouse({
    place: 'cluster dev-1',
    workloads: [aRecord('web'), anAsleepRecord('cart')],
    notes: ['you may not list cronjobs: left out'],
  })
const dev2 = () =>
  new FakeDormouse({ place: 'cluster dev-2', workloads: [aRecord('web'), aRecord('db', {}, 'statefulsets')] })
const clusters = () => ({ 'dev-1': dev1(), 'dev-2': dev2(), 'dev-3': new LostDormouse('dev-3') })
const GONE = 'dev-3: does not answer: cannot be reached (no route)\n'
const cells = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {3,}/).slice(0, 4))

describe('several clusters read as one', () => {
  it('list has a first column for the cluster; one that does not answer is a line, and no failure', async () => {
    const { code, out, err, connections } = await typed(['list', '--contexts', 'dev-*'], {
      clusters: clusters(),
    })
    expect(code).to.equal(0)
    expect(cells(out)).to.deep.equal([
      ['CLUSTER', 'NAME', 'KIND', 'STATE'],
      ['dev-1', 'web', 'deployment', 'awake'],
      ['dev-1', 'cart', 'deployment', 'asleep'],
      ['dev-2', 'web', 'deployment', 'awake'],
      ['dev-2', 'db', 'statefulset', 'awake'],
    ])
    expect(err).to.equal(`${GONE}note: dev-1: you may not list cronjobs: left out\n`)
    expect(connections.map(({ context, contexts, patience }) => [context, contexts, patience])).to.deep.equal(
      ['dev-1', 'dev-2', 'dev-3'].map((name) => [name, undefined, 10_000]),
    )
    expect((await typed(['list', '-A', '--contexts', 'dev-1'], { clusters: clusters() })).out).to.match(
      /^CLUSTER +NAMESPACE +NAME /,
    )
  })

  it('a cluster is called as its service calls it, with -o wide its context in brackets, and is found by that name', async () => {
    const named = { ...clusters(), 'dev-2': new Called('europe', { workloads: [aRecord('web')] }) }
    for (const chosen of ['dev-2', 'europe', 'euro*', 'europe (dev-2)']) {
      const { code, out } = await typed(['list', '--contexts', chosen], { clusters: named })
      expect(code).to.equal(0)
      expect(cells(out).slice(1)).to.deep.equal([['europe', 'web', 'deployment', 'awake']])
      const wide = await typed(['list', '-o', 'wide', '--contexts', chosen], { clusters: named })
      expect(cells(wide.out)[1]?.[0]).to.equal('europe (dev-2)')
    }
    const { out } = await typed(['list', '--contexts', 'europe', '-o', 'json'], { clusters: named })
    expect(JSON.parse(out)).to.have.nested.property('items[0].cluster', 'dev-2')
  })

  it("is called by that name wherever a line names it; a cloud's long context stands only where it is to be typed", async () => {
    const arn = (name: string) => `arn:aws:eks:eu-west-1:123456789012:cluster/${name}`
    const notes = ['left out']
    const long = {
      [arn('1')]: new Called('dev-eu', { workloads: [aRecord('web')], notes }),
      [arn('2')]: new Called('dev-us', { workloads: [aRecord('web'), aRecord('db')] }),
      [arn('3')]: new LostDormouse('gone'),
    }
    const told = (...line: string[]) => typed([...line, '--contexts', '*'], { clusters: long })
    for (const watch of [[], ['-w']]) {
      const { out, err } = await told('list', ...watch)
      expect(out).to.match(/^CLUSTER {3}NAME .*\ndev-eu {4}web /)
      expect(out).to.not.include('arn:')
      expect(err).to.include(`${arn('3')}: does not answer`)
      // A watch that ends at once says no more.
      if (watch.length === 0) expect(err).to.include('note: dev-eu: left out\n')
    }
    expect((await told('status', 'db')).out).to.match(/^dev-us: deployment shop\/db is awake/)
    expect((await told('status', 'x')).err).to.include('in namespace shop of dev-eu, dev-us\n')
    const { err } = await told('why', 'web')
    expect(err).to.include('web is in several clusters (dev-eu, dev-us): write one of\n')
    expect(err).to.include(`kubectl dormouse why deploy/web --context ${arn('1')}\n`)
  })

  it('is called so on the page and in the links of the console', async () => {
    const named = { 'arn:aws:eks:dev': new Called('dev-eu', { workloads: [aRecord('web')] }), gone: new LostDormouse('gone') } // prettier-ignore
    const about: unknown[] = []
    const { code } = await typed(['console', '--no-open', '--contexts', '*'], {
      clusters: named,
      onOutput: (text, stop) =>
        void indexOf(text.trim())
          .then((index) => about.push(index), (error) => about.push(error))
          .finally(() => stop.abort()), // prettier-ignore
    })
    const names = about.flatMap((each) => (each as { clusters?: { name: string }[] }).clusters ?? [each])
    expect(code).to.equal(0)
    expect(names).to.have.nested.property('[0].name', 'dev-eu')
    expect(names).to.have.nested.property('[1].name', 'gone')
    expect(about[0]).to.have.property('within', 'dev-eu')
  })

  it('clusters that are called alike have their contexts in brackets, and no two the same name', async () => {
    const alike = {
      a: new Called('europe', { workloads: [aRecord('web')] }),
      b: new Called('europe', { workloads: [aRecord('web')] }),
      c: new Called('asia', { workloads: [aRecord('web')] }),
      europe: new FakeDormouse({ workloads: [aRecord('web')] }),
    }
    const { out } = await typed(['list', '--contexts', '*'], { clusters: alike })
    const names = cells(out).map(([name]) => name)
    expect(names).to.deep.equal(['CLUSTER', 'europe (a)', 'europe (b)', 'asia', 'europe'])
    const hostile = new Map([['a', 'europe'], ['b', 'europe'], ['c', 'europe (a)']]) // prettier-ignore
    const told = clusterNames([...hostile].map(([context, called]) => ({ context, called })))
    expect([...told.values()]).to.deep.equal(['a', 'b', 'c'])
  })

  it('records for programs name their cluster, and are otherwise the same; names alone are refused', async () => {
    const { out } = await typed(['list', '--contexts', 'dev-2', '-o', 'json'], { clusters: clusters() })
    const { items } = JSON.parse(out) as { items: object[] }
    expect(items).to.deep.equal(dev2().workloads.map(({ record }) => ({ cluster: 'dev-2', ...record })))
    for (const line of [['list'], ['status', 'web']]) {
      const { code, err } = await typed([...line, '--contexts', 'dev-2', '-o', 'name'], {
        clusters: clusters(),
      })
      expect(code).to.equal(2)
      expect(err).to.include('-o name does not say in which cluster: write -o json')
    }
  })

  it('fails only if no cluster answers', async () => {
    const lost = {
      a: new LostDormouse('a'),
      b: new LostDormouse('b', new Refusal('FORBIDDEN', 'you may not')),
    }
    for (const line of [['list'], ['list', '-w'], ['status', 'web'], ['console', '--no-open']]) {
      const { code, out, err } = await typed([...line, '--contexts', '*'], { clusters: lost })
      expect({ code, out }, line.join(' ')).to.deep.equal({ code: 1, out: '' })
      expect(err).to.equal('a: does not answer: cannot be reached (no route)\nb: you may not\n')
    }
  })

  it('what is wrong in every cluster is wrong on the command line', async () => {
    const { code, err } = await typed(['list', 'frogs', '--contexts', 'dev-*'], { clusters: clusters() })
    expect(code).to.equal(2)
    expect(err.match(/frogs/g)).to.have.length(1)
  })

  it('status has a block for each cluster that has it, with the commands that lead there', async () => {
    const { code, out, err } = await typed(['status', 'web', '--contexts', 'dev-*'], { clusters: clusters() })
    expect(code).to.equal(0)
    expect(out.match(/^\S.*/gm)).to.deep.equal([
      'dev-1: deployment shop/web is awake: 3 of 3 replicas ready',
      'dev-2: deployment shop/web is awake: 3 of 3 replicas ready',
    ])
    expect(err).to.include(GONE)
  })

  it('why of a name that two clusters have is refused, with the commands to type', async () => {
    for (const target of ['web', 'deploy/web']) {
      const { code, out, err } = await typed(['why', target, '--contexts', 'dev-*'], { clusters: clusters() })
      expect({ code, out }).to.deep.equal({ code: 2, out: '' })
      expect(err).to.equal(
        `${GONE}error: ${target} is in several clusters (dev-1, dev-2): write one of\n` +
          '  kubectl dormouse why deploy/web --context dev-1\n' +
          '  kubectl dormouse why deploy/web --context dev-2\n',
      )
    }
    const { code, out } = await typed(['why', 'cart', '--contexts', 'dev-*'], { clusters: clusters() })
    expect(code).to.equal(0)
    expect(out).to.include('dev-1: deployment shop/cart is asleep')
    expect(out).to.include('kubectl dormouse wake deploy/cart --context dev-1 --for 4h')
    const all = await typed(['why', '-l', 'app=web', '--contexts', 'dev-*'], { clusters: clusters() })
    expect(all.out.match(/^dev-\d/gm)).to.have.length(4)
  })

  it('a workload that no cluster has is told once', async () => {
    const { code, out, err } = await typed(['status', 'wbe', 'db', '--contexts', 'dev-*'], {
      clusters: clusters(),
    })
    expect(code).to.equal(1)
    expect(out).to.match(/^dev-2: statefulset shop\/db /)
    expect(err).to.include('error: there is no workload wbe in namespace shop of dev-1, dev-2\n')
  })

  it('list -w follows all of them', async () => {
    const given: Record<string, Dormouse> = {
      ...clusters(),
      'dev-1': new FakeDormouse({ workloads: [aRecord('web')], later: [{ ...aRecord('web'), gone: true }] }),
    }
    const { code, out, err } = await typed(['list', '-w', '--contexts', 'dev-*'], { clusters: given })
    expect(code).to.equal(0)
    const rows = cells(out)
    expect(rows[0]?.slice(0, 2)).to.deep.equal(['CLUSTER', 'NAME'])
    expect(rows).to.deep.include(['dev-2', 'db', 'statefulset', 'awake'])
    expect(rows.filter(([cluster]) => cluster === 'dev-1')).to.deep.equal([
      ['dev-1', 'web', 'deployment', 'awake'],
      ['dev-1', 'web', 'deployment', 'deleted'],
    ])
    expect(err).to.equal(GONE)
    const one = await typed(['status', 'web', '-w', '--contexts', 'dev-*'], { clusters: given })
    expect(one.code).to.equal(2)
    expect(one.err).to.include('name that by --context')
  })

  it('says where it found nothing', async () => {
    const { err } = await typed(['list', '-n', 'empty', '--contexts', 'dev-2'], { clusters: clusters() })
    expect(err).to.equal('No workloads found in namespace empty of 1 cluster.\n')
  })

  it('commands for one cluster refuse it, with the reason', async () => {
    const reading = [
      'list',
      'status',
      'why',
      'savings',
      'console',
      'check',
      'explain',
      'completion',
      'import',
      'version',
    ]
    for (const verb of VERBS.filter((each) => !reading.includes(each))) {
      const { code, err, connections } = await typed([verb, 'web', '--contexts', 'dev-*'], {
        clusters: clusters(),
      })
      expect({ code, connections }, verb).to.deep.equal({ code: 2, connections: [] })
      expect(err).to.include('any other command is for one: name it by --context')
    }
    const { err } = await typed(['import', '--from', 'downscaler', '--contexts', 'dev-*'])
    expect(err).to.include('name it by --context')
    expect((await typed(['wake', '--help'])).out).to.not.include('--contexts')
    expect((await typed(['list', '--help'])).out).to.include('--contexts')
  })

  it('is given instead of --context and --server', async () => {
    const both = await typed(['list', '--contexts', 'dev-*', '--context', 'dev-1'], { clusters: clusters() })
    expect([both.code, both.err]).to.deep.equal([
      2,
      'error: --context names one cluster, and --contexts several: give one of them\n',
    ])
    const server = await typed(['list', '--contexts', 'dev-*', '--server', 'https://x'])
    expect(server.err).to.include('--contexts is for the cluster')
  })

  it('may stand before the command, as --context may', async () => {
    const { out } = await typed(['--contexts', 'dev-2', 'list'], { clusters: clusters() })
    expect(out).to.match(/^CLUSTER /)
  })

  it('completes names of contexts', async () => {
    const { out } = await typed(['__complete', 'list', '--contexts', 'dev-'], { clusters: clusters() })
    expect(out).to.equal('dev-1\ndev-2\ndev-3\n:4\n')
  })
})

describe('the contexts that are meant', () => {
  const known = ['staging', 'dev-2', 'dev-1'].map((name) => ({ name, cluster: name }))

  it('are those that match a glob, each once, by name', () => {
    expect(chosenContexts('staging, dev-*,dev-1', known).names).to.deep.equal(['dev-1', 'dev-2', 'staging'])
  })

  it('are an error that names those there are, where a glob matches none', () => {
    for (const [text, glob] of [
      ['dev-*,prod', 'prod'],
      ['dev-*,', ''],
      ['dev', 'dev'],
    ] as const)
      // prettier-ignore
      expect(() => chosenContexts(text, known))
        .to.throw(UsageError)
        .with.property('message', `--contexts: '${glob}' matches no context, and no cluster's name; there are dev-1, dev-2, staging`)
    expect(() => chosenContexts('*', [])).to.throw(UsageError, 'the kubeconfig has none')
  })

  it('are one where they lead to the same cluster: the first by name', async () => {
    const contexts = ['dev-admin', 'dev', 'prod'].map((name) => ({ name, cluster: name.slice(0, 3) }))
    expect(chosenContexts('*', contexts)).to.deep.equal({
      names: ['dev', 'prod'],
      twins: ['dev-admin (as dev)'],
      doubtful: [],
    })
    const { err, connections } = await typed(['list', '--contexts', '*'], { contexts })
    expect(connections.map(({ context }) => context)).to.deep.equal(['dev', 'prod'])
    expect(err).to.include('note: left out, since another leads to the same cluster: dev-admin (as dev)\n')
  })
})

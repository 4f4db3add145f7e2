import { mkdir, writeFile } from 'node:fs/promises'
import { delimiter } from 'node:path'
import { KubeConfig } from '@kubernetes/client-node'
import { expect } from 'chai'
import { knownContexts, loadKubeConfig, type KubeConfigSource } from '../../src/kubernetes/kube-config.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const IN_CLUSTER = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' }

describe('a kubeconfig', () => {
  const at = temporaryFolder()
  const load = (environment: Record<string, string>, more: KubeConfigSource = {}) =>
    loadKubeConfig({ environment, account: at('account'), ...more })

  beforeEach(async () => {
    for (const folder of ['account', 'home/.kube']) await mkdir(at(folder), { recursive: true })
  })

  /** With one cluster, user and context of this name. */
  const write = (file: string, name: string, current = true) =>
    writeFile(
      at(file),
      JSON.stringify({
        clusters: [{ name, cluster: { server: `https://${name}:6443/`, 'certificate-authority': 'ca.crt' } }],
        users: [{ name, user: { token: name, 'client-key': '/keys/client.key' } }],
        contexts: [{ name, context: { cluster: name, user: name, namespace: '' } }],
        ...(current && { 'current-context': name }),
      }),
    )

  /** Loads one of this cluster and user. */
  const loadOne = async (cluster: object, user: object = {}) => {
    const config = {
      clusters: [{ name: 'a', cluster }],
      users: [{ name: 'a', user }],
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
      'current-context': 'a',
    }
    await writeFile(at('config'), JSON.stringify(config))
    return () => load({}, { file: at('config') })
  }

  const writeAccount = async () => {
    await writeFile(at('account', 'token'), 'secret')
    await writeFile(at('account', 'namespace'), 'dormouse\n')
  }

  it('is the one of KUBECONFIG before ~/.kube/config, and that before the account of the pod', async () => {
    const HOME = at('home')
    await writeAccount()
    expect(load({ HOME, ...IN_CLUSTER }).name).to.equal('inClusterContext')
    await write('home/.kube/config', 'home')
    expect(load({ HOME, ...IN_CLUSTER }).name).to.equal('home')
    await write('named', 'named')
    expect(load({ HOME, KUBECONFIG: at('named'), ...IN_CLUSTER }).name).to.equal('named')
    expect(load({ HOME, KUBECONFIG: '', ...IN_CLUSTER }).name).to.equal('home')
  })

  it('is the account of the pod, whose files are read as they rotate', async () => {
    await writeAccount()
    expect(load(IN_CLUSTER)).to.deep.equal({
      name: 'inClusterContext',
      server: new URL('https://10.0.0.1:443'),
      cluster: { server: 'https://10.0.0.1:443', 'certificate-authority': at('account', 'ca.crt') },
      user: { tokenFile: at('account', 'token') },
      namespace: 'dormouse',
    })
    const { server } = load({ ...IN_CLUSTER, KUBERNETES_SERVICE_HOST: 'fd00::1' })
    expect(server.href).to.equal('https://[fd00::1]/')
  })

  it('has contexts of the same cluster where server and CA are the same', async () => {
    const clusters = {
      a: { server: 'https://a' },
      'a-again': { server: 'https://a/' },
      'other-ca': { server: 'https://a', 'certificate-authority-data': 'Y2E=' },
      'other-name': { server: 'https://a', 'tls-server-name': 'b' },
      'other-proxy': { server: 'https://a', 'proxy-url': 'http://proxy:3128' },
    }
    const names = [...Object.keys(clusters), 'of-no-cluster']
    await writeFile(
      at('several'),
      JSON.stringify({
        clusters: Object.entries(clusters).map(([name, cluster]) => ({ name, cluster })),
        contexts: names.map((name) => ({ name, context: { cluster: name } })),
      }),
    )
    const known = knownContexts({ file: at('several') })
    expect(known.map(({ name }) => name)).to.deep.equal(names)
    const same = known.filter(({ cluster }) => cluster === known[0]?.cluster)
    expect(same.map(({ name }) => name)).to.deep.equal(['a', 'a-again'])
    expect(new Set(known.map(({ cluster }) => cluster)).size).to.equal(5)
    expect(knownContexts({ file: at('none') })).to.deep.equal([])
  })

  it('has contexts of the same user where the credentials are the same, whoever is impersonated', async () => {
    const exec = (cluster: string) => ({ exec: { command: 'tsh', args: ['credentials', cluster] } })
    const users = {
      dev: exec('dev'),
      'dev-again': exec('dev'),
      'dev-as': { ...exec('dev'), as: 'root', 'as-groups': ['admins'] },
      stage: exec('stage'),
      token: { token: 'secret' },
    }
    const names = Object.keys(users)
    await writeFile(
      at('several'),
      JSON.stringify({
        clusters: [{ name: 'proxy', cluster: { server: 'https://proxy' } }],
        users: Object.entries(users).map(([name, user]) => ({ name, user })),
        contexts: names.map((name) => ({ name, context: { cluster: 'proxy', user: name } })),
      }),
    )
    const known = knownContexts({ file: at('several') })
    expect(known.map(({ user }) => user)).to.deep.equal(['dev', 'dev', 'dev', 'stage', 'token'])
    expect(new Set(known.map(({ cluster }) => cluster)).size).to.equal(1)
  })

  it('is none outside a cluster: the error says what to give', () => {
    expect(() => load({ HOME: at('home') })).to.throw(
      'no cluster: give --kubeconfig FILE, set KUBECONFIG, or run in a cluster',
    )
  })

  it('that --kubeconfig names has to be there, and is the only one that counts', async () => {
    const KUBECONFIG = at('named')
    await write('named', 'named')
    await write('given', 'given', false)
    expect(() => load({ KUBECONFIG }, { file: at('none') })).to.throw(
      `cannot load the kubeconfig ${at('none')}: there is no such file`,
    )
    expect(() => load({ KUBECONFIG }, { file: at('given') })).to.throw('known contexts: given; choose one')
    expect(() => load({ KUBECONFIG }, { file: at('given'), context: 'named' })).to.throw(
      'kubeconfig: there is no context named; known contexts: given',
    )
  })

  it('of several files is made of those that are there; with none of them it is an error that says what to do', async () => {
    await writeAccount()
    const KUBECONFIG = ['', at('none'), at('a'), at('nowhere')].join(delimiter)
    expect(() => load({ KUBECONFIG, ...IN_CLUSTER })).to.throw(
      `KUBECONFIG: none of its files exists: ${at('none')}, ${at('a')}, ${at('nowhere')}; correct or unset it, or give --kubeconfig FILE`,
    )
    await write('a', 'a')
    expect(load({ KUBECONFIG, ...IN_CLUSTER }).name).to.equal('a')
  })

  it('without any context is an error that names its files and says what to do', async () => {
    await writeAccount()
    await writeFile(at('empty'), '')
    await writeFile(at('null'), 'clusters: null\ncontexts: null\ncurrent-context: ""')
    expect(() => load({ KUBECONFIG: [at('empty'), at('null')].join(delimiter), ...IN_CLUSTER })).to.throw(
      `kubeconfig: there are no contexts in ${at('empty')}, ${at('null')}; name another with --kubeconfig or KUBECONFIG`,
    )
  })

  it('of several files has all of their contexts; the first current-context counts, also for another file', async () => {
    await write('a', 'a', false)
    await write('b', 'b')
    await write('c', 'c')
    const KUBECONFIG = ['', at('a'), at('b'), at('c')].join(delimiter)
    expect(load({ KUBECONFIG }).name).to.equal('b')
    expect(load({ KUBECONFIG }, { context: 'c' }).server.host).to.equal('c:6443')
    await writeFile(at('a'), 'current-context: c')
    expect(load({ KUBECONFIG }).name).to.equal('c')
  })

  it('with one name in two files has what the first says of it, whole', async () => {
    await write('a', 'same')
    const KUBECONFIG = [at('a'), at('home', 'b')].join(delimiter)
    await writeFile(
      at('home', 'b'),
      `clusters: [{ name: same, cluster: { server: 'https://b', proxy-url: 'http://b' } }]
users: [{ name: same, user: { token: b, client-key: b, username: b } }]
contexts: [{ name: same, context: { cluster: b, user: b, namespace: b } }]`,
    )
    const { server, cluster, user, namespace } = load({ KUBECONFIG })
    expect(server.host).to.equal('same:6443')
    expect(cluster).to.have.all.keys('server', 'certificate-authority')
    expect(user).to.deep.equal({ token: 'same', 'client-key': '/keys/client.key' })
    expect(namespace).to.equal(undefined)
  })

  it('of several files has paths relative to the file that has them', async () => {
    await write('a', 'a')
    await write('home/.kube/config', 'b', false)
    const KUBECONFIG = [at('a'), at('home', '.kube', 'config')].join(delimiter)
    const ca = (context: string) => load({ KUBECONFIG }, { context }).cluster['certificate-authority']
    expect(ca('a')).to.equal(at('ca.crt'))
    expect(ca('b')).to.equal(at('home', '.kube', 'ca.crt'))
    expect(load({ KUBECONFIG }).user['client-key'], 'an absolute one').to.equal('/keys/client.key')
  })

  it('that cannot be read is named, also beside others', async () => {
    await write('a', 'a')
    const KUBECONFIG = [at('a'), at('b')].join(delimiter)
    for (const [content, why] of [
      ['<html>', 'it is no kubeconfig'],
      ['[]', 'it is no kubeconfig'],
      ['kind: List\nitems: []', 'it is no kubeconfig, but a List'],
      ['clusters: { a: { server: x } }', 'clusters is not a list'],
      ['users:\n-\n', 'users[0].name is missing'],
      ['users: [{ name: 12, user: {} }]', 'users[0]: name is a number: put it in quotes'],
      ['users: [{ name: a, user: { token: 012 } }]', 'users[0]: token is a number: put it in quotes'],
    ] as const) {
      await writeFile(at('b'), content)
      expect(() => load({ KUBECONFIG })).to.throw(`cannot load the kubeconfig ${at('b')}: ${why}`)
    }
  })

  it('that is no YAML is named with the line at fault, without what the line says', async () => {
    await writeFile(at('broken'), 'users:\n- name: a\n  user: { token: secret')
    expect(() => load({}, { file: at('broken') }))
      .to.throw(/broken: .* at line 3, column \d+$/)
      .which.satisfies((error: Error) => !error.message.includes('secret'))
  })

  it('may have Windows line ends and a byte order mark, or merge keys; of several documents the first counts', async () => {
    const text = `clusters:
- &a { name: a, cluster: { server: 'https://a:6443' } }
- { <<: *a, name: b }
contexts:
- name: a
  context:
    cluster: b
current-context: a
`
    await writeFile(at('windows'), `\uFEFF${text}`.replaceAll('\n', '\r\n'))
    expect(load({}, { file: at('windows') })).to.include({ name: 'a' })
    expect(load({}, { file: at('windows') }).server.host).to.equal('a:6443')
    await writeFile(at('two'), `---\n${text}---\n${text.replace('current-context: a', 'kind: List')}---\n`)
    expect(load({}, { file: at('two') }).server.host).to.equal('a:6443')
  })

  it('whose server is not a URL of HTTP is an error that names its cluster', async () => {
    for (const server of ['localhost:6443', '10.0.0.1:6443', 'ftp://a', ''])
      expect(await loadOne({ server }), server).to.throw(
        'kubeconfig: context a names the cluster a, which has no server https://HOST:PORT',
      )
  })

  it('whose context names a cluster that it lacks is an error that names both', async () => {
    const contexts = [{ name: 'a', context: { cluster: 'elsewhere' } }]
    await writeFile(at('config'), JSON.stringify({ contexts, 'current-context': 'a' }))
    const says = 'kubeconfig: context a names the cluster elsewhere, which has no server'
    expect(() => load({}, { file: at('config') })).to.throw(says)
  })

  it('whose proxy is none that can be used is an error that names its cluster', async () => {
    const withProxy = (proxy: string) => loadOne({ server: 'https://a:6443', 'proxy-url': proxy })
    for (const proxy of ['proxy:3128', 'ftp://proxy', '//proxy'])
      expect(await withProxy(proxy), proxy).to.throw(
        'kubeconfig: the proxy-url of the cluster a is not an http, https or socks5 URL',
      )
    for (const proxy of ['http://user:pass@proxy:3128', 'https://proxy', 'socks5://proxy:1080', ''])
      expect((await withProxy(proxy))().name, proxy).to.equal('a')
  })

  it('has the command of an exec plugin relative to its own file, unless it is to be found in PATH', async () => {
    for (const [command, found] of [
      ['aws', 'aws'],
      ['./bin/login', at('bin', 'login')],
      ['/bin/login', '/bin/login'],
    ]) {
      const loaded = await loadOne({ server: 'https://a:6443' }, { exec: { command, args: null, env: null } })
      expect(loaded().user.exec?.command).to.equal(found)
    }
  })

  it('is read as client-node reads it', async () => {
    await write('a', 'a')
    await write('b', 'b', false)
    const KUBECONFIG = [at('a'), at('b')].join(delimiter)
    const theirs = new KubeConfig()
    const before = process.env['KUBECONFIG']
    process.env['KUBECONFIG'] = KUBECONFIG
    try {
      theirs.loadFromDefault()
    } finally {
      if (before === undefined) delete process.env['KUBECONFIG']
      else process.env['KUBECONFIG'] = before
    }
    const { name, server, cluster, user } = load({ KUBECONFIG })
    expect({
      name,
      server: server.origin,
      ca: cluster['certificate-authority'],
      key: user['client-key'],
      token: user.token,
    }).to.deep.equal({
      name: theirs.getCurrentContext(),
      server: theirs.getCurrentCluster()?.server,
      ca: theirs.getCurrentCluster()?.caFile,
      key: theirs.getCurrentUser()?.keyFile,
      token: theirs.getCurrentUser()?.token,
    })
  })
})

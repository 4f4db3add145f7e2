import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { KubeConfig } from '@kubernetes/client-node'
import { expect } from 'chai'
import { loadKubeConfig, type KubeConfigSource } from '../../src/kubernetes/kube-config.ts'

const IN_CLUSTER = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' }

describe('a kubeconfig', () => {
  let directory: string

  const at = (...names: string[]) => join(directory, ...names)
  const load = (environment: Record<string, string>, more: KubeConfigSource = {}) =>
    loadKubeConfig({ environment, account: at('account'), ...more })

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'dormouse-kubeconfig-'))
    for (const folder of ['account', 'home/.kube']) await mkdir(at(folder), { recursive: true })
  })

  afterEach(async () => await rm(directory, { recursive: true }))

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

  it('is none outside a cluster: the error says what to give', () => {
    expect(() => load({ HOME: at('home') })).to.throw(
      'no cluster: give --kubeconfig FILE, set KUBECONFIG, or run in a cluster',
    )
  })

  it('that KUBECONFIG names and that is not there is an error, whatever else there is', async () => {
    await writeAccount()
    const environment = { KUBECONFIG: at('none'), ...IN_CLUSTER }
    expect(() => load(environment)).to.throw(
      `cannot load the kubeconfig ${at('none')}: there is no such file`,
    )
  })

  it('of several files has all of their contexts; two of one name are an error', async () => {
    await write('a', 'a')
    await write('b', 'b', false)
    const KUBECONFIG = ['', at('a'), at('b')].join(delimiter)
    expect(load({ KUBECONFIG }).name).to.equal('a')
    expect(load({ KUBECONFIG }, { context: 'b' }).server.host).to.equal('b:6443')
    await write('b', 'a')
    expect(() => load({ KUBECONFIG })).to.throw('KUBECONFIG: two of its files have clusters named a')
  })

  it('has its paths relative to its own file', async () => {
    await write('home/.kube/config', 'home')
    const { cluster, user, namespace } = load({ HOME: at('home') })
    expect(cluster['certificate-authority']).to.equal(at('home', '.kube', 'ca.crt'))
    expect(user['client-key']).to.equal('/keys/client.key')
    expect(namespace).to.equal(undefined)
  })

  it('that is empty, or has an entry without a name, is named with its fault', async () => {
    await writeFile(at('empty'), '')
    expect(() => loadKubeConfig({ file: at('empty') })).to.throw('kubeconfig: no current-context is set')
    await writeFile(at('unnamed'), 'clusters: [{ cluster: { server: x } }]')
    expect(() => loadKubeConfig({ file: at('unnamed') })).to.throw('clusters[0].name is missing')
  })

  it('is read as client-node reads it', async () => {
    await write('a', 'a')
    await write('b', 'b')
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

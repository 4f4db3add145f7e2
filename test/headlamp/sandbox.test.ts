import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { parse } from 'yaml'
import { headlampPlugin } from '../../packaging/headlamp.ts'
import type { KubernetesFields } from '../../src/headlamp/workload.ts'
import { SandboxConsole } from '../console/sandbox-console.ts'
import { manifest } from '../support/manifests.ts'
import { folderOfSuite } from '../support/temporary-folder.ts'
import { FakeHeadlamp, type Requested } from './fake-headlamp.ts'

const WEB = '/apis/apps/v1/namespaces/shop/deployments/web'
const REQUEST = 'dormouse.dev/request'

describe('the plugin for Headlamp and Dormouse, on the sandbox', function () {
  this.timeout(180_000)
  const at = folderOfSuite()
  let sandbox: SandboxConsole
  let server: string
  let page: FakeHeadlamp

  before(async () => {
    await headlampPlugin(at('.'))
    sandbox = await SandboxConsole.start()
    const { clusters } = parse(await readFile(sandbox.kubeconfig, 'utf8')) as {
      clusters: [{ cluster: { server: string } }]
    }
    ;({ server } = clusters[0].cluster)
    await sandbox.call('POST', 'shop/deployments/web/enable')
    page = new FakeHeadlamp(await readFile(at('main.js'), 'utf8'), Date.now())
    page.answer = proxied
  })
  after(async () => {
    page?.close()
    await sandbox?.stop()
  })

  /** As Headlamp does: an answer that is none of success is an Error with its message. */
  async function proxied({ path, params, query }: Requested): Promise<Response> {
    const response = await fetch(`${server}${path}?${new URLSearchParams(query).toString()}`, params)
    if (response.ok) return response
    throw new Error(`${response.statusText} - ${((await response.json()) as { message: string }).message}`)
  }

  const read = async (path: string) => (await (await fetch(`${server}${path}`)).json()) as KubernetesFields
  const open = (jsonData: KubernetesFields) => {
    page.open(null)
    page.open({ jsonData, cluster: 'sandbox' })
  }
  /** Opens the object as it is now, and presses the button. */
  const press = async (label: string, path = WEB) => {
    open(await read(path))
    const said = await page.pressed(label)
    const object = await read(path)
    expect(object.metadata.annotations).not.to.have.property(REQUEST)
    open(object)
    return said
  }

  it('carries out what its buttons ask for, and shows the answer', async () => {
    expect(await press('Snooze')).to.match(/^Dormouse: /)
    expect(page.facts['State']).to.match(/^(?:falling )?asleep$/)
    expect(page.facts['Replicas']).to.equal('0; 3 are kept and come back')
    expect(await press('Wake 4 h')).to.match(/^Dormouse: /)
    expect(page.facts['State']).to.match(/^(?:waking|awake)$/)
    expect(page.texts('td')[0]).to.equal('Woken to 3')
    await press('Pin')
    expect(page.facts['State']).to.match(/^pinned, /)
    await press('Unpin')
    expect(page.texts('button')).to.deep.equal(['Awake 4 h', 'Snooze', 'Pin'])
  })

  it('shows the refusal of what came too late', async () => {
    const before = await read(WEB)
    await press('Pin')
    open(before)
    expect(await page.pressed('Snooze')).to.match(/^Not done: Dormouse: deployment shop\/web: pinned /)
    await press('Unpin')
  })

  it('takes a request back that nobody answers', async () => {
    const namespace = '/apis/apps/v1/namespaces/kube-system/deployments'
    const body = JSON.stringify(
      manifest('deployments', 'dns', { annotations: { 'dormouse.dev/enabled': 'true' } }),
    )
    await fetch(`${server}${namespace}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
    })
    expect(await press('Pin', `${namespace}/dns`)).to.match(/^Not done: Dormouse does not answer\./)
  })
})

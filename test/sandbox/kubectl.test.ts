import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { startSandboxCluster, type StartedCluster } from '../support/sandbox-cluster.ts'
import { kubectl as kubectlProgram } from '../support/kubectl.ts'
import { describeWith } from '../suite/need.ts'

const deployment = (name: string, container: string, image: string) => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name}, namespace: demo }
spec:
  replicas: 2
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec: { containers: [{ name: ${container}, image: '${image}', env: [{ name: A, value: b }] }] }
`
const manifest = (image: string) => deployment('applied', 'main', image)

describeWith(kubectlProgram, 'kubectl on the sandbox', function () {
  this.timeout(180_000)
  let here: StartedCluster
  let directory: string
  const args = (command: string) => ['--namespace=demo', ...command.split(' ')]
  const kubectl = (command: string, ...more: string[]) => here.kubectl(...args(command), ...more)
  const file = (name: string) => join(directory, name)

  before('there is a deployment', async () => {
    here = await startSandboxCluster({ readyAfterMs: 20 })
    directory = await mkdtemp(join(tmpdir(), 'dormouse-kubectl-'))
    const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata: { name: demo }\n---'
    await writeFile(file('shop.yaml'), namespace + deployment('web', 'nginx', 'nginx:1'))
    await kubectl(`create -f ${file('shop.yaml')}`)
    await kubectl('rollout status deployment/web --timeout=10s')
  })

  after(async () => {
    await here?.stop()
    if (directory) await rm(directory, { recursive: true })
  })

  /** kubectl's standard error when it fails. */
  const failure = async (command: string, ...more: string[]): Promise<string> => {
    const { code, stderr } = await here.kubectl.attempt([...args(command), ...more])
    return code === 0 ? 'no failure' : stderr
  }

  const web = async (path: string) => kubectl('get deployment web -o', `jsonpath={${path}}`)

  it('gets tables, with label columns', async () => {
    expect(await kubectl('get deployments')).to.match(
      /^NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nweb +2\/2 +2 +2 /,
    )
    expect(await kubectl('get deployments -L app')).to.match(/AGE +APP\nweb +2\/2 /)
    expect(await kubectl('get pods')).to.match(/web-\w+-\w+ +1\/1 +Running/)
    expect(await kubectl('get namespaces')).to.match(/demo +Active/)
    expect(await kubectl('get all -A')).to.contain('replicaset.apps/web-')
  })

  it('gets YAML', async () => {
    expect(await kubectl('get deployment web -o yaml')).to.match(/^apiVersion: apps\/v1\nkind: Deployment\n/)
    expect(await kubectl('get deployments -o yaml')).to.contain('kind: Deployment\n')
  })

  it('watches', async () => {
    const child = spawn('kubectl', [
      `--kubeconfig=${here.adminKubeconfig}`,
      ...args('get deployments --watch'),
    ])
    let output = ''
    let scaled: Promise<unknown> | undefined
    for await (const chunk of child.stdout) {
      output += String(chunk)
      if (output.includes('2/2')) scaled ??= kubectl('scale deployment web --replicas=0')
      if (/0\/0 +0 +0/.test(output)) break
    }
    child.kill()
    await scaled
    await kubectl('scale deployment web --replicas=2')
    expect(output).to.match(/0\/0 +0 +0/)
  })

  it('annotates, labels and scales, and the managers are on record', async () => {
    await kubectl('annotate deployment web note=hello')
    await kubectl('label deployment web tier=front')
    await kubectl('scale deployment web --replicas=3 --current-replicas=2')
    await kubectl('scale deployment web --replicas=4')
    expect(await web('.metadata.annotations.note} {.metadata.labels.tier} {.spec.replicas')).to.equal(
      'hello front 4',
    )
    expect(await web('.metadata.managedFields[*].manager')).to.contain('kubectl-annotate')
    expect(await web('.metadata.managedFields[?(@.subresource=="scale")].fieldsV1')).to.contain('f:replicas')
  })

  it('patches in all three ways', async () => {
    await kubectl('patch deployment web -p', '{"spec":{"replicas":1}}')
    await kubectl('patch deployment web --type=merge -p', '{"spec":{"replicas":2}}')
    const test = (replicas: number) =>
      JSON.stringify([{ op: 'test', path: '/spec/replicas', value: replicas }])
    await kubectl('patch deployment web --type=json -p', test(2))
    const message = await failure('patch deployment web --type=json -p', test(9))
    expect(message).to.contain('the server rejected our request due to an error in our request')
    expect(await failure('patch deployment web -p', '{"spec":{"replicas":-1}}')).to.contain(
      'greater than or equal to 0',
    )
  })

  it('rolls out, back and anew', async () => {
    await kubectl('set image deployment/web nginx=nginx:2')
    await kubectl('rollout status deployment/web --timeout=10s')
    await kubectl('annotate deployment web note=later --overwrite')
    await kubectl('rollout undo deployment/web')
    await kubectl('rollout status deployment/web --timeout=10s')
    expect(await web('.spec.template.spec.containers[0].image} {.metadata.annotations.note')).to.equal(
      'nginx:1 hello',
    )
    expect(await kubectl('rollout history deployment/web')).to.match(/\n2 .*\n3 /)
    await kubectl('rollout restart deployment/web')
    await kubectl('rollout status deployment/web --timeout=10s')
  })

  it('edits and replaces', async () => {
    await kubectl('set image deployment/web nginx=nginx:4')
    await here.kubectl.attempt(args('edit deployment web'), '', { KUBE_EDITOR: 'sed -i s/nginx:4/nginx:5/' })
    expect(await web('.spec.template.spec.containers[0].image')).to.equal('nginx:5')
    await writeFile(file('web.yaml'), await kubectl('get deployment web -o yaml'))
    await kubectl('annotate deployment web since=then')
    expect(await failure(`replace -f ${file('web.yaml')}`)).to.contain('the object has been modified')
  })

  it('applies from the client’s side, and says that it does not from the server’s', async () => {
    const applied = file('applied.yaml')
    await writeFile(applied, manifest('app:1'))
    expect(await kubectl(`apply -f ${applied}`)).to.contain('created')
    await writeFile(applied, manifest('app:2'))
    expect(await kubectl(`apply -f ${applied}`)).to.contain('configured')
    expect(await kubectl(`apply -f ${applied}`)).to.contain('unchanged')
    expect(await failure(`apply --server-side -f ${applied}`)).to.contain('server-side apply')
  })

  it('serves a custom resource from its definition on, and its scale', async () => {
    const version = `
    name: v1
    served: true
    storage: true
    schema: { openAPIV3Schema: { type: object } }
    subresources: { status: {}, scale: { specReplicasPath: .spec.replicas } }`
    const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: wheels.kinds.example.com }
spec:
  group: kinds.example.com
  scope: Namespaced
  names: { plural: wheels, kind: Wheel }
  versions:
  - ${version.trim()}
`
    const wheel =
      'apiVersion: kinds.example.com/v1\nkind: Wheel\nmetadata: { name: front }\nspec: { replicas: 2 }'
    await writeFile(file('definition.yaml'), definition)
    await writeFile(file('wheel.yaml'), wheel)
    await kubectl(`create -f ${file('definition.yaml')}`)
    await kubectl(`create -f ${file('wheel.yaml')}`)
    await kubectl('scale wheel front --replicas=3')
    expect(await kubectl('get wheel front -o jsonpath={.spec.replicas}')).to.equal('3')
    await kubectl('delete crd wheels.kinds.example.com')
    expect(await failure('get wheel front')).to.contain('NotFound')
  })

  it('lists events', async () => {
    const event = `
apiVersion: v1
kind: Event
metadata: { name: web.1 }
involvedObject: { kind: Deployment, name: web, namespace: demo }
message: fell asleep
type: Normal
reason: Snoozed
`
    await writeFile(file('event.yaml'), event)
    await kubectl(`create -f ${file('event.yaml')}`)
    expect(await kubectl('get events')).to.match(/Normal +Snoozed +deployment\/web +fell asleep/)
  })

  it('describes and deletes', async () => {
    expect(await kubectl('describe deployment web')).to.match(/Replicas: +\d/)
    await kubectl('delete deployment web')
    expect(await kubectl('get replicasets -l app=web')).to.equal('')
    await kubectl('delete namespace demo')
    expect(await failure('get deployment web')).to.contain('NotFound')
  })

  it('is told what the sandbox serves where it asks for something else', async () => {
    expect(await failure('create quota few --hard=pods=1')).to.contain(
      'kubectl api-resources lists what it has',
    )
  })
})

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { KUBECTL_VERSIONS, kubectls, type KubectlVersion } from '../go-programs/kubectls.ts'
import { describeOn } from '../support/clusters.ts'
import { programEnvironment } from '../support/program-environment.ts'
import { runProgram, type KubectlResult } from '../support/kubectl.ts'

const NOT_SERVED = 'the sandbox serves nothing at'
const NO_SUCH_TYPE = "the server doesn't have a resource type"

/** A command; what it prints, on either output; and what it says on the sandbox if it is refused there alone, to some versions. */
type Row = readonly [
  command: string,
  prints: RegExp | string,
  refused?: string,
  by?: readonly KubectlVersion[],
]

/**
 * Commands in the order in which people would type them. A space within an argument is written `_`. Exit code 0 is
 * expected, or 1 where the command begins with `!`.
 */
const SCRIPT: readonly Row[] = [
  ['create namespace NS', /^namespace\/NS created$/],
  ['!create namespace NS', 'namespaces "NS" already exists'],
  ['auth can-i create deployments', /^yes$/],
  ['auth can-i --list', /\*\.\* +\[\] +\[\] +\[\*\]/],
  ['auth whoami', /Groups +\[system:masters system:authenticated\]/],
  ['create deployment web --image=app:1 --replicas=2 --port=80', /^deployment.apps\/web created$/],
  ['rollout status deployment/web --timeout=30s', /successfully rolled out/],
  ['get deployment web', /^NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nweb +2\/2 +2 +2 /],
  ['get deployment web -o jsonpath={.spec.strategy.type}', /^RollingUpdate$/],
  ['get pods -l app=web', /^NAME +READY +STATUS +RESTARTS +AGE\n(web-\w+-\w+ +1\/1 +Running +0 +\w+\n?){2}$/],
  ['create configmap settings --from-literal=a=b --from-literal=c=d', /^configmap\/settings created$/],
  ['get configmap settings', /^NAME +DATA +AGE\nsettings +2 /],
  ['create secret generic keys --from-literal=password=x', /^secret\/keys created$/],
  ['get secret keys', /^NAME +TYPE +DATA +AGE\nkeys +Opaque +1 /],
  ['create serviceaccount robot', /^serviceaccount\/robot created$/],
  ['create token robot', /^\w+\.\w+\.[-\w]+$/, NOT_SERVED],
  ['create cronjob tick --image=app:1 --schedule=*/5_*_*_*_* -- echo hi', /^cronjob.batch\/tick created$/],
  [
    'get cronjobs',
    /^NAME +SCHEDULE +TIMEZONE +SUSPEND +ACTIVE +LAST SCHEDULE +AGE\ntick +\*\/5 \* \* \* \* +<none> +False +0 +<none> /,
  ],
  ['create job once --image=app:1 -- echo hi', /^job.batch\/once created$/, NOT_SERVED],
  ['create job from-tick --from=cronjob/tick', /^job.batch\/from-tick created$/, NOT_SERVED],
  ['create service clusterip web --tcp=80:8080', /^service\/web created$/],
  ['create service nodeport np --tcp=80', /^service\/np created$/],
  ['create role reader --verb=get,list --resource=pods', /role.*\/reader created$/, NOT_SERVED],
  ['create rolebinding rb --role=reader --serviceaccount=NS:robot', /rb created$/, NOT_SERVED],
  ['create quota q --hard=pods=100', /^resourcequota\/q created$/, NOT_SERVED],
  ['create poddisruptionbudget pdb --selector=app=x --min-available=1', /pdb created$/, NOT_SERVED],
  ['create ingress ing --rule=a.example/=web:80', /ing created$/, NOT_SERVED],
  ['run one --image=app:1 --labels=a=b --env=X=y --port=80', /^pod\/one created$/],
  ['wait --for=condition=Ready pod/one --timeout=30s', /^pod\/one condition met$/],
  ['run two --image=app:1 --dry-run=server -o name', /^pod\/two$/],
  ['expose deployment web --port=80 --name=exposed', /^service\/exposed exposed$/],
  [
    'autoscale deployment web --name=other --min=1 --max=3 AUTOSCALE',
    /^horizontalpodautoscaler.autoscaling\/other autoscaled$/m,
    // They ask for v1.
    NOT_SERVED,
    ['1.30.14', '1.32.3'],
  ],
  ['apply -f AUTOSCALER', /created$/],
  [
    'get hpa web',
    /NAME +REFERENCE +TARGETS +MINPODS +MAXPODS +REPLICAS +AGE\nweb +Deployment\/web .*80% +1 +3 /,
  ],
  ['delete hpa --all', /"web" deleted/],
  ['scale deployment web --replicas=3', /^deployment.apps\/web scaled$/],
  ['!scale deployment web --replicas=2 --current-replicas=9', 'Expected replicas to be 9, was 3'],
  ['set image deployment/web app=app:2', /^deployment.apps\/web image updated$/],
  ['rollout status deployment/web --timeout=30s', /successfully rolled out/],
  ['rollout history deployment/web', /REVISION +CHANGE-CAUSE\n1 +<none>\n2 +<none>/],
  ['rollout history deployment/web --revision=2', /Image:\tapp:2\n +Port:\t80\/TCP/],
  ['set env deployment/web A=b', /^deployment.apps\/web env updated$/],
  ['set env deployment/web --list', /^A=b$/m],
  ['set resources deployment/web --limits=cpu=200m,memory=64Mi', /resource requirements updated$/],
  ['set serviceaccount deployment web robot', /serviceaccount updated$/],
  ['rollout undo deployment/web --to-revision=2', /rolled back$/],
  ['!rollout undo deployment/web --to-revision=99', 'unable to find specified revision 99 in history'],
  ['rollout restart deployment/web', /restarted$/],
  ['rollout status deployment/web --timeout=30s', /successfully rolled out/],
  ['rollout pause deployment/web', /paused$/],
  ['!rollout pause deployment/web', 'already paused'],
  ['!rollout restart deployment/web', "can't restart paused deployment"],
  ['rollout resume deployment/web', /resumed$/],
  ['!rollout resume deployment/web', 'is not paused'],
  ['patch deployment web -p {"spec":{"replicas":4}}', /patched$/],
  ['patch deployment web --type=merge -p {"metadata":{"annotations":{"a":"b"}}}', /patched$/],
  ['patch deployment web --type=json -p [{"op":"replace","path":"/spec/replicas","value":2}]', /patched$/],
  ['patch deployment web --subresource=scale --type=merge -p {"spec":{"replicas":3}}', /patched$/],
  ['!patch deployment nope -p {"spec":{"replicas":4}}', 'deployments.apps "nope" not found'],
  ['edit deployment web', /^deployment.apps\/web edited$/],
  ['get deployment web -o jsonpath={.spec.template.spec.containers[0].image}', /^app:3$/],
  ['wait --for=condition=Available deployment/web --timeout=30s', /condition met$/],
  ['wait --for=jsonpath={.spec.replicas}=3 deployment/web --timeout=5s', /condition met$/],
  ['!wait --for=condition=Nope deployment/web --timeout=1s', 'timed out waiting'],
  ['!top pods', 'Metrics API not available'],
  ['explain deployment.spec.replicas', /replicas <integer>/, 'not found in OpenAPI schema'],
  ['!diff -f MANIFEST', /^\+kind: Deployment$/m],
  ['apply -f MANIFEST', /^deployment.apps\/applied created$/],
  ['apply -f MANIFEST', /^deployment.apps\/applied (unchanged|configured)$/],
  ['diff -f MANIFEST', /^$/],
  [
    'apply --server-side -f MANIFEST --force-conflicts',
    /serverside-applied$/,
    'does not support server-side apply',
  ],
  ['apply view-last-applied deployment/applied', /image: app:1/],
  ['replace --force -f MANIFEST', /replaced$/],
  ['delete -f MANIFEST', /"applied" deleted/],
  ['get events --field-selector=involvedObject.name=nobody', 'No resources found in NS namespace.'],
  ['events --for=pod/nobody', 'No events found in NS namespace.'],
  ['!get nonsense', NO_SUCH_TYPE],
  ['delete pod one --now', /"one" (force )?deleted/],
  ['delete pod one --ignore-not-found', /^$/],
  ['delete deployment web --cascade=orphan', /"web" deleted/],
  ['get rs -l app=web -o name', /^replicaset.apps\/web-/],
  ['delete namespace NS --wait=false', /namespace "NS" deleted/],
]

const MANIFEST = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: applied }
spec:
  selector: { matchLabels: { app: applied } }
  template:
    metadata: { labels: { app: applied } }
    spec: { containers: [{ name: main, image: 'app:1' }] }
`

const AUTOSCALER = `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: web }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web }
  maxReplicas: 3
  metrics: [{ type: Resource, resource: { name: cpu, target: { type: Utilization, averageUtilization: 80 } } }]
`

/** The real control plane proves the table, with `npm run real -- kubectl-commands`. */
const WHERE = process.env['DORMOUSE_ON'] === 'real' ? 'real' : 'sandbox'

describeOn(
  'what people type',
  function (on, folders) {
    let folder: string

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'dormouse-kubectl-'))
      await writeFile(join(folder, 'manifest.yaml'), MANIFEST)
      await writeFile(join(folder, 'autoscaler.yaml'), AUTOSCALER)
    })

    after(() => (folder ? rm(folder, { recursive: true }) : undefined))

    const namespaceOf = (version: KubectlVersion) => `typed-${version.replaceAll('.', '-')}`

    const run = (version: KubectlVersion, command: string): Promise<KubectlResult> => {
      const line = command
        .replace(/^!/, '')
        .replaceAll('MANIFEST', join(folder, 'manifest.yaml'))
        .replace('AUTOSCALER', join(folder, 'autoscaler.yaml'))
        // One flag in 1.35, the other one before.
        .replace('AUTOSCALE', version === '1.35.4' ? '--cpu=80%' : '--cpu-percent=80')
        .replaceAll('NS', namespaceOf(version))
      const args = line.split(' ').map((word) => word.replaceAll('_', ' '))
      const own = [`--kubeconfig=${on().adminKubeconfig}`, `--cache-dir=${join(folder, version)}`]
      const env = { ...programEnvironment(), KUBE_EDITOR: 'sed -i s/app:2/app:3/' }
      const program = join(folders[version], 'kubectl')
      return runProgram(program, [...own, `-n=${namespaceOf(version)}`, ...args], { env })
    }

    async function check(version: KubectlVersion, [command, prints, refused, by = KUBECTL_VERSIONS]: Row) {
      const { code, stdout, stderr } = await run(version, command)
      const isRefused = refused !== undefined && by.includes(version) && !on().isReal
      const said = `${stdout}\n${stderr}`.trim().replaceAll(namespaceOf(version), 'NS')
      expect(code, `${version}: ${said}`).to.equal(isRefused || command.startsWith('!') ? 1 : 0)
      if (isRefused) expect(said, version).to.contain(refused)
      else if (typeof prints === 'string') expect(said, version).to.contain(prints)
      else expect(said, version).to.match(prints)
    }

    // The commands one after the other, the versions at once, each in a namespace of its own.
    for (const row of SCRIPT)
      it(row[0].replace(/^!/, ''), async function () {
        this.timeout(120_000)
        await Promise.all(KUBECTL_VERSIONS.map((version) => check(version, row)))
      })
  },
  WHERE,
  kubectls,
)

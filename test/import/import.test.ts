import { expect } from 'chai'
import { comparisonLine, failureLine, lineOf } from '../../src/import/text.ts'
import { toolsAmong } from '../../src/import/tool.ts'
import type { ImportedObject } from '../../src/import/plan/imported-object.ts'
import { keptOfOthers } from '../../src/import/plan/restores.ts'
import { Refusal } from '../../src/process/errors.ts'
import { failureOf } from '../support/failure-of.ts'
import {
  HOURS,
  KEPT,
  UPTIME,
  shop,
  verdicts,
  annotationsAt,
  Objects,
  sleeper,
  planOf,
  carriedOut,
  imported,
} from './import-cluster.ts'

describe('an import', () => {
  it('ends between two writes when it is stopped', async () => {
    const [web, api] = [sleeper('web', '3'), sleeper('api', '2')]
    const cluster = new Objects([shop, web, api])
    const stop = new AbortController()
    cluster.onPatch = (name, dryRun) => {
      if (name === 'deployment shop/web' && !dryRun) stop.abort()
    }
    const stopped = carriedOut(cluster, planOf(cluster.objects.values()), stop.signal)
    expect(await failureOf(stopped, DOMException)).to.equal(stop.signal.reason)
    expect(annotationsAt(cluster, web)).to.not.have.property(KEPT)
    expect(annotationsAt(cluster, api)).to.have.property(KEPT, '2')
  })

  it('in which something failed, or is refused, leaves what the next one reads', async () => {
    const web = sleeper('web', '3')
    const cluster = new Objects([shop, web])
    cluster.onPatch = (name) => {
      if (name === 'deployment shop/web') throw new Refusal('CLUSTER_REJECTED', 'no')
    }
    const outcomes = await carriedOut(cluster, planOf(cluster.objects.values()))
    expect(outcomes.map(({ why }) => why)).to.deep.equal([
      'no',
      'it is not annotated, since not all in it was taken over: what was has its hours as its own',
      'it stays, since not all was done',
    ])
    expect(annotationsAt(cluster, shop)).to.deep.equal({ [UPTIME]: HOURS })

    const odd = sleeper('odd', '2', { annotations: { [KEPT]: '2', 'downscaler/downscale-replicas': '50%' } })
    const other = new Objects([shop, odd])
    const steps = planOf(other.objects.values())
    expect(verdicts(steps)).to.include('refused deployment shop/odd')
    await carriedOut(other, steps)
    expect(annotationsAt(other, shop)).to.have.property(UPTIME, HOURS)
  })

  it('takes no count away from what fell asleep since it was read', async () => {
    const web = { ...sleeper('web', '7'), spec: { replicas: 3 } }
    const cluster = new Objects([shop, web])
    const steps = planOf(cluster.objects.values())
    expect(steps.at(-1)?.says.join()).to.include('out of date')
    cluster.put(sleeper('web', '3'))
    const outcomes = await carriedOut(cluster, steps)
    expect(outcomes[0]?.why).to.match(/has changed since it was read/)
    expect(annotationsAt(cluster, web)).to.have.property(KEPT, '3')
  })

  it('takes none away from what falls asleep in the very moment of its write', async () => {
    const web = { ...sleeper('web', '7'), spec: { replicas: 3 } }
    const cluster = new Objects([shop, web])
    cluster.onPatch = (name) => {
      cluster.onPatch = () => undefined
      if (name === 'deployment shop/web') cluster.put(sleeper('web', '3'))
    }
    const steps = planOf(cluster.objects.values()).filter(({ object }) => object.kind === 'Deployment')
    const [outcome] = await carriedOut(cluster, steps)
    expect(outcome?.why).to.match(/has changed since it was read/)
    expect(annotationsAt(cluster, web)).to.have.property(KEPT, '3')
  })

  it('tries again where only a status was written meanwhile', async () => {
    const web = sleeper('web', '3')
    const cluster = new Objects([web, shop])
    let writes = 0
    cluster.onPatch = (name) => {
      if (name === 'deployment shop/web' && (writes += 1) === 2) cluster.put(cluster.at(web))
    }
    const outcomes = await carriedOut(cluster, planOf(cluster.objects.values()))
    expect(outcomes.filter(({ why }) => why)).to.deep.equal([])
    expect(annotationsAt(cluster, web)).to.not.have.property(KEPT)
  })

  it("puts all back where the webhook is gone between the dry run and the write: a DaemonSet's key, too", async () => {
    const nodeSelector = { 'downscaler/match-none': 'true', disk: 'ssd' }
    const agent: ImportedObject = {
      ...sleeper('agent', '1'),
      kind: 'DaemonSet',
      spec: { template: { spec: { nodeSelector } } },
    }
    const cluster = new Objects([shop, agent])
    cluster.onPatch = (name, dryRun) => {
      if (name === 'daemonset shop/agent' && !dryRun) cluster.answers = false
    }
    await failureOf(carriedOut(cluster, planOf(cluster.objects.values())), Refusal)
    expect(cluster.at(agent).spec?.template?.spec?.nodeSelector).to.deep.equal(nodeSelector)
    expect(annotationsAt(cluster, agent)).to.deep.equal({ [KEPT]: '1' })
  })

  it('leaves the pause of a workload that it could not take over: KEDA would wake it', async () => {
    const web = sleeper('web', '3')
    const scaler: ImportedObject = {
      apiVersion: 'keda.sh/v1alpha1',
      kind: 'ScaledObject',
      metadata: {
        namespace: 'shop',
        name: 'web-scaler',
        annotations: { [KEPT]: '-1', 'autoscaling.keda.sh/paused-replicas': '0' },
      },
      spec: { scaleTargetRef: { name: 'web' } },
    }
    const cluster = new Objects([shop, web, scaler])
    cluster.onPatch = (name) => {
      if (name === 'deployment shop/web') throw new Refusal('CLUSTER_REJECTED', 'pinned')
    }
    const before = cluster.at(scaler)
    await carriedOut(cluster, planOf(cluster.objects.values()))
    expect(cluster.at(scaler)).to.equal(before)
  })

  const toolWith = (replicas: number, readyReplicas = 0, labels: Record<string, string> = {}) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'tools', name: 'downscaler', labels },
    spec: {
      replicas,
      template: { spec: { containers: [{ image: 'ghcr.io/caas-team/gokubedownscaler:1.4.0' }] } },
    },
    status: { readyReplicas },
  })
  const cronJobOf = (suspend: boolean, active: readonly object[] = []) => {
    const { metadata, spec } = toolWith(1)
    const jobTemplate = { spec: { template: spec.template } }
    return {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata,
      spec: { suspend, jobTemplate },
      status: { active },
    }
  }
  const SUSPEND = `kubectl patch cronjob downscaler -n tools -p '{"spec":{"suspend":true}}'`
  const SCALE = 'kubectl scale deployment downscaler -n tools --replicas 0'
  for (const [what, tool, advice] of [
    ['runs', toolWith(1, 1), SCALE],
    ['is about to run', toolWith(1), SCALE],
    ['has not ended', toolWith(0, 1), SCALE],
    ['runs by a CronJob', cronJobOf(false), SUSPEND],
    ['has a Job that has not ended', cronJobOf(true, [{ name: 'downscaler-1' }]), SUSPEND],
    [
      'is kept asleep by a policy of Dormouse: it would wake in the morning',
      toolWith(0, 0, { 'dormouse.dev/asleep': '1' }),
      'kubectl delete deployment downscaler -n tools',
    ],
  ] as const)
    it(`changes nothing while the other tool ${what}`, async () => {
      const web = sleeper('web', '3')
      const cluster = new Objects([shop, web, tool])
      const { code, err } = await imported(cluster)
      expect(code).to.equal(2)
      expect(err).to.include(advice)
      expect(annotationsAt(cluster, web)).to.have.property(KEPT)
      cluster.put(tool.kind === 'CronJob' ? cronJobOf(true) : toolWith(0))
      expect((await imported(cluster)).code).to.equal(0)
      expect(annotationsAt(cluster, web)).to.not.have.property(KEPT)
    })

  it('finds the tool by its image, also where that comes from a mirror', () => {
    const toolOf = (image: string) => {
      const spec = { template: { spec: { containers: [{ image }] } } }
      return toolsAmong([{ ...sleeper('tool', '1'), spec }]).map(({ tool }) => tool)
    }
    for (const [image, tool] of [
      ['ghcr.io/caas-team/gokubedownscaler:1.4.0', 'gokubedownscaler'],
      ['mirror.corp:5000/caas-team-gokubedownscaler@sha256:abc', 'gokubedownscaler'],
      ['ghcr.io/caas-team/py-kube-downscaler:26.4.0', 'py-kube-downscaler'],
      ['hjacobs/kube-downscaler', 'py-kube-downscaler'],
      ['mirror.corp/ghcr_caas-team_py-kube-downscaler:26', 'py-kube-downscaler'],
      ['docker.io/kubegreen/kube-green:0.7.1', 'kube-green'],
      ['mirror.corp/kubegreen-kube-green:0.7.1', 'kube-green'],
    ] as const)
      expect(toolOf(image), image).to.deep.equal([tool])
    for (const image of ['shop/kube-green-theme:1', 'shop/notkube-green2', 'kube-downscaler/web:1'])
      expect(toolOf(image), image).to.deep.equal([])
  })

  it('says nothing of what GoKubeDownscaler left alone: it would be most of a cluster', () => {
    const plain: ImportedObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'plain' } }
    const metadata = { namespace: 'plain', name: 'dns' }
    const other: ImportedObject = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: { replicas: 2 },
    }
    expect(planOf([plain, other])).to.deep.equal([])
    const asleep = { ...sleeper('lost', '2'), metadata: { ...metadata, annotations: { [KEPT]: '2' } } }
    const [step] = planOf([plain, asleep])
    expect(step?.verdict).to.equal('refused')
    expect(step?.says.join('; ')).to.match(/the tool would leave it so.*a count of 2/)
  })

  it('puts back no more minReplicas than the HPA may have now, as both downscalers do', () => {
    const hpa = (kept: string): ImportedObject => ({
      ...sleeper('web', kept),
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      spec: { minReplicas: 1, maxReplicas: 4 },
    })
    const [capped] = planOf([hpa('6')])
    expect(capped?.patch?.['spec']).to.deep.equal({ minReplicas: 4 })
    expect([capped?.verdict, capped?.says]).to.deep.equal([
      'approximated',
      ['put back: minReplicas 4 (the tool kept 6)'],
    ])
    expect(planOf([hpa('3')])[0]?.says).to.deep.equal(['put back: minReplicas 3'])
  })

  it('says of each object one line, whatever somebody wrote on it', () => {
    const odd = sleeper('web', '3\nmapped        deployment shop/other: adopted asleep, 3 kept')
    const lines = planOf([shop, odd]).map(lineOf)
    for (const line of lines) expect(line.trimEnd()).to.not.include('\n')
  })

  it('nor do keys of a Secret that tenants may write make a line, or steer the terminal', () => {
    const forged = 'x\nmapped        deployment shop/other: adopted asleep, 3 kept\u001B[0m\u2028y'
    const key = Buffer.from(JSON.stringify({ [`Widget\n.example.com`]: { [forged]: '{"spec":{"a":1}}' } }))
    const data = { 'original-resource-info': key.toString('base64') }
    const metadata = { namespace: 'shop', name: 'sleepinfo-night' }
    const [{ object } = { object: shop }] = keptOfOthers(
      { apiVersion: 'v1', kind: 'Secret', metadata, data },
      new Set(),
    )
    const step = { object, verdict: 'refused', says: [forged] } as const
    const lines = [
      lineOf(step),
      comparisonLine({ object, isKept: true, before: 3, kept: 3, says: forged, by: null, hours: null }),
      failureLine({ step, became: 'failed', why: forged }),
    ]
    for (const line of lines) {
      expect(line).to.include('mapped')
      expect(line.trimEnd()).to.not.match(/[\p{Cc}\p{Zl}]/u)
    }
  })

  it('refuses a count that no workload can have', () => {
    for (const kept of ['9999999999', '1.5', '0x3', '-1', '']) {
      const step = planOf([shop, sleeper('web', kept)]).find(({ object }) => object.kind === 'Deployment')
      expect(step?.verdict, kept).to.equal('refused')
    }
  })

  it('tells of a sleeper that belongs to another object: nobody would wake it', () => {
    const owned = sleeper('owned', '4', { ownerReferences: [{ controller: true }] })
    const [step] = planOf([owned])
    expect(step?.verdict).to.equal('refused')
    expect(step?.says.join('; ')).to.match(/belongs to another object.*wake it by hand.*a count of 4/)
    expect(step?.patch).to.equal(undefined)
  })
})

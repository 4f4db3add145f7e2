import { expect } from 'chai'
import { ASLEEP_LABEL } from '../../src/domain/workload/workload.ts'
import { Refusal } from '../../src/process/errors.ts'
import { aDeployment } from '../support/workloads.ts'
import {
  NIGHT,
  KEPT,
  shop,
  annotationsAt,
  Objects,
  sleeper,
  ofKubeGreen,
  carriedOut,
  imported,
  planOf,
  verdicts,
} from './import-cluster.ts'

describe('what an import did', () => {
  const inUse = { ...sleeper('in-use', '3'), spec: { replicas: 2 } }
  const lastLine = (text: string) => text.trimEnd().split('\n').at(-1)

  it('adopts sleepers before all else, and annotates a Namespace once everything in it is done', async () => {
    const cluster = new Objects([shop, inUse, sleeper('web', '3'), sleeper('api', '2')])
    const { code, err } = await imported(cluster)
    expect(code, err).to.equal(0)
    const [sleepers, others] = [['deployment shop/web', 'deployment shop/api'], ['deployment shop/in-use']]
    // Each sleeper gives back what it inherits by then; the Namespace's old annotations go last.
    expect(cluster.writes).to.deep.equal([
      ...sleepers,
      ...others,
      'namespace shop',
      ...sleepers,
      'namespace shop',
    ])
  })

  it('gives each sleeper its hours in the write that adopts it: it is right at each moment, and inherits them in the end', async () => {
    const cluster = new Objects([shop, sleeper('web', '3')])
    const seen: object[] = []
    cluster.onPatch = (name) => {
      if (name === 'namespace shop') seen.push(annotationsAt(cluster, sleeper('web', '3')))
    }
    await imported(cluster)
    const own = {
      'dormouse.dev/enabled': 'true',
      'dormouse.dev/schedule': '8:00-18:00,Mon-Fri',
      'dormouse.dev/timezone': 'Europe/Berlin',
    }
    // The first is the dry run that asks whether the Namespace can be written at all.
    expect(seen[1]).to.deep.include(own)
    expect(annotationsAt(cluster, sleeper('web', '3'))).to.have.all.keys('dormouse.dev/state')
  })

  it('counts at the end what happened and not what was planned, and ends with 1 where something failed', async () => {
    const cluster = new Objects([shop, inUse, sleeper('web', '3'), sleeper('api', '2'), sleeper('odd', 'x')])
    cluster.onPatch = (name) => {
      if (name === 'deployment shop/api') throw new Refusal('CLUSTER_REJECTED', 'no')
    }
    const { code, out, err } = await imported(cluster, '--partial')
    expect(code).to.equal(1)
    expect(out).to.include('deployment shop/api: adopted asleep, 2 kept')
    expect(lastLine(err)).to.equal('1 adopted, 1 changed, 1 left as they are, 2 failed')
    expect(err).to.not.match(/^done/m)
    expect(err).to.match(/^differs +deployment shop\/api: at 0, and not adopted; 2 replicas recorded$/m)
  })

  it('compares each count again, and says so', async () => {
    const cluster = new Objects([shop, sleeper('web', '3'), sleeper('api', '2')])
    const { code, err } = await imported(cluster)
    expect(code).to.equal(0)
    expect(err).to.include('every count is kept: 2 compared\n')
    expect(lastLine(err)).to.equal('2 adopted, 1 changed, 0 left as they are, 0 failed')
  })

  it('ends with a table of counts before and after, by what is there then and not by the plan', async () => {
    const cluster = new Objects([shop, sleeper('web', '3'), sleeper('api', '2')])
    cluster.onPatch = (name) => {
      if (name === 'deployment shop/api') throw new Refusal('CLUSTER_REJECTED', 'no')
    }
    const { out } = await imported(cluster)
    const [, table = ''] = out.split('\n\n')
    const rows = table
      .trimEnd()
      .split('\n')
      .map((each) => each.split(/ {3,}/))
    expect(rows).to.deep.equal([
      ['WORKLOAD', 'BEFORE', 'KEPT', 'MANAGED BY', 'HOURS'],
      ['deployment shop/web', '3', '3', 'itself', 'awake 8:00-18:00,Mon-Fri (Europe/Berlin)'],
      ['deployment shop/api', '2', '0', 'nobody'],
    ])
    cluster.onPatch = () => undefined
    const again = await imported(cluster)
    expect(again.out).to.match(/^deployment shop\/api +2 +2 +namespace shop +awake 8:00-18:00,Mon-Fri/m)
  })

  it('ends with 1 where a count that it adopted is not there in the end', async () => {
    const cluster = new Objects([shop, sleeper('web', '3')])
    cluster.onPatch = (name, dryRun) => {
      const web = cluster.at(sleeper('web', '3'))
      if (name !== 'namespace shop' || dryRun) return
      cluster.put({ ...web, metadata: { ...web.metadata, labels: { [ASLEEP_LABEL]: '1' } } })
    }
    const { code, err } = await imported(cluster)
    expect(code).to.equal(1)
    expect(err).to.match(/^differs +deployment shop\/web: asleep, 1 kept; 3 replicas recorded$/m)
  })

  it('changes nothing at all in a namespace whose Namespace the person may not write', async () => {
    const other = { ...shop, metadata: { ...shop.metadata, name: 'team' } }
    const theirs = sleeper('web', '3', { namespace: 'team' })
    const cluster = new Objects([shop, sleeper('web', '3'), other, theirs])
    cluster.onPatch = (name) => {
      if (name === 'namespace team') throw new Refusal('FORBIDDEN', 'namespaces "team" is forbidden')
    }
    const [namespaceBefore, before] = [cluster.at(other), cluster.at(theirs)]
    const { code, err } = await imported(cluster)
    expect(code).to.equal(1)
    expect(err).to.match(/deployment team\/web: its namespace is left as it is, .*"team" is forbidden/)
    expect([cluster.at(other), cluster.at(theirs)]).to.deep.equal([namespaceBefore, before])
    expect(cluster.at(sleeper('web', '3')).metadata.labels).to.deep.equal({ [ASLEEP_LABEL]: '3' })
  })

  it('leaves a namespace as it is whose Secrets the person may not read, and takes over the others', async () => {
    const all = ['shop', 'team'].flatMap(ofKubeGreen)
    const cluster = new Objects(all)
    cluster.unread = /namespaces\/team\/secrets/
    const { code, err } = await imported(cluster, '--from', 'kube-green', '--partial')
    expect(code, err).to.equal(0)
    expect(lastLine(err)).to.equal('1 adopted, 2 changed, 2 left as they are, 0 failed')
    expect(cluster.writes.some((each) => each.includes('team'))).to.equal(false)
  })

  it('says of a kind that Dormouse was not told of that it lacks there, and goes on', async () => {
    const rollout = { ...sleeper('shop', '4'), kind: 'Rollout', apiVersion: 'argoproj.io/v1alpha1' }
    const cluster = new Objects([shop, rollout, sleeper('web', '3')])
    cluster.unknown = ['Rollout']
    const { code, err } = await imported(cluster)
    expect(code).to.equal(1)
    expect(err).to.include('rollout shop/shop: Dormouse does not answer for it')
    expect(err).to.include('add rollouts.argoproj.io to its kinds')
    expect(cluster.at(rollout).metadata.annotations).to.have.property(KEPT, '4')
    expect(cluster.at(sleeper('web', '3')).metadata.labels).to.deep.equal({ [ASLEEP_LABEL]: '3' })
  })

  describe('of databases that GoKubeDownscaler put to sleep by what their operators have for it', () => {
    const RESOURCES = ['--include-resources=postgresqls,cnpgclusters']
    const zalando = {
      ...sleeper('accounts', '3'),
      kind: 'postgresql',
      apiVersion: 'acid.zalan.do/v1',
      spec: { numberOfInstances: 0 },
    }
    const awake = {
      ...zalando,
      metadata: { namespace: 'shop', name: 'awake' },
      spec: { numberOfInstances: 3 },
    }
    const cnpg = {
      ...sleeper('orders', 'false', { annotations: { [KEPT]: 'false', 'cnpg.io/hibernation': 'on' } }),
      kind: 'Cluster',
      apiVersion: 'postgresql.cnpg.io/v1',
      spec: { instances: 3 },
    }

    it('takes them over asleep, a count with that count and a switch with 1, where the presets are configured', async () => {
      const cluster = new Objects([shop, zalando, cnpg, awake])
      const steps = planOf(cluster.objects.values(), RESOURCES)
      expect(verdicts(steps)).to.include.members([
        'mapped postgresql shop/accounts',
        'mapped cluster shop/orders',
      ])
      expect(steps.flatMap(({ recorded = [] }) => recorded)).to.deep.equal([3, 1])
      await carriedOut(cluster, steps)
      expect(cluster.at(zalando).metadata.labels).to.deep.equal({ [ASLEEP_LABEL]: '3' })
      expect(cluster.at(cnpg).metadata.labels).to.deep.equal({ [ASLEEP_LABEL]: '1' })
      expect(cluster.at(cnpg).metadata.annotations).to.not.have.property(KEPT)
      expect(cluster.at(awake).spec).to.deep.equal({ numberOfInstances: 3 })
    })

    it('leaves them with their counts where they are not, and says which preset to add', async () => {
      const cluster = new Objects([shop, zalando, cnpg])
      cluster.unknown = ['postgresql', 'Cluster']
      const outcomes = await carriedOut(cluster, planOf(cluster.objects.values(), RESOURCES))
      const said = outcomes.map(({ why }) => why).join()
      expect(said).to.include('add the preset zalando-postgres to its kinds')
      expect(said).to.include('add the preset cloudnative-pg to its kinds')
      expect(cluster.at(zalando).metadata.annotations).to.have.property(KEPT, '3')
      expect(cluster.at(cnpg).metadata.annotations).to.have.property(KEPT, 'false')
    })

    it('does not take one for asleep that runs with a count of its own where they sleep with some', () => {
      const annotations = { [KEPT]: '3', 'downscaler/downscale-replicas': '1' }
      const at = (numberOfInstances: number) => ({
        ...zalando,
        metadata: { ...zalando.metadata, annotations },
        spec: { numberOfInstances },
      })
      const recorded = (count: number) => planOf([shop, at(count)], RESOURCES).map((step) => step.recorded)
      expect(recorded(1)).to.include(3)
      expect(recorded(3)).to.not.include(3)
    })
  })

  it('takes over what Sablier wakes once Sablier is stopped, and not beside it', async () => {
    const web = {
      ...sleeper('web', ''),
      metadata: { namespace: 'shop', name: 'web', labels: { 'sablier.enable': 'true' } },
    }
    const sablier = {
      ...web,
      metadata: { namespace: 'tool', name: 'sablier' },
      spec: { replicas: 1, template: { spec: { containers: [{ image: 'sablierapp/sablier:1.16.2' }] } } },
    }
    const beside = await imported(new Objects([web, sablier]), '--from', 'sablier')
    expect(beside.err).to.include('sablier still runs: stop it by kubectl scale deployment sablier -n tool')
    const elsewhere = await imported(new Objects([web, sablier]), '--from', 'sablier', '--context', 'dev')
    expect(elsewhere.err).to.match(/scale deployment sablier -n tool .*--context dev, then repeat/)
    const cluster = new Objects([web, { ...sablier, spec: { ...sablier.spec, replicas: 0 } }])
    const { code, err } = await imported(cluster, '--from', 'sablier')
    expect(code, err).to.equal(0)
    expect(lastLine(err)).to.equal('1 adopted, 0 changed, 0 left as they are, 0 failed')
    expect(cluster.at(web).metadata.labels).to.include({ [ASLEEP_LABEL]: '1', 'sablier.enable': 'true' })
  })

  it('leaves a sleeper that Dormouse has put to sleep with its own count, and takes the marks away', async () => {
    const ours = sleeper('web', '7', { labels: { [ASLEEP_LABEL]: '3' } })
    const cluster = new Objects([shop, ours])
    const { code, out, err } = await imported(cluster)
    expect(code, err).to.equal(0)
    expect(out).to.include('asleep by Dormouse already, 3 kept: the 7 that the tool kept are out of date')
    expect(cluster.at(ours).metadata).to.deep.include({ labels: { [ASLEEP_LABEL]: '3' }, annotations: {} })
  })

  it('writes what it was to write where Dormouse has woken or put to sleep meanwhile what keeps its count there', async () => {
    const labels = { [ASLEEP_LABEL]: '2' }
    const asleep = { ...sleeper('in-use', '3', { labels }), spec: { replicas: 0 } }
    for (const [before, now] of [
      [inUse, asleep],
      [asleep, inUse],
    ] as const) {
      const cluster = new Objects([shop, before])
      cluster.onPatch = (name) => {
        cluster.onPatch = () => undefined
        if (name === 'namespace shop') cluster.put(now)
      }
      const { code, err } = await imported(cluster)
      expect(code, err).to.equal(0)
      expect(annotationsAt(cluster, now)).to.not.have.property(KEPT)
    }
  })

  it('by --verify alone compares what is still recorded, says what is not any more, and changes nothing', async () => {
    const asleep = aDeployment('shop/web').withReplicas(3).enabled().snoozed({ at: NIGHT })
    const state = (text: string) =>
      asleep.remembering({ request: { text, at: NIGHT, by: 'k8s:ana' } }).annotations.state ?? ''
    const taken = (name: string, kept: string, text: string) => {
      const annotations = { 'dormouse.dev/state': state(text) }
      return {
        ...sleeper(name, ''),
        metadata: { namespace: 'shop', name, annotations, labels: { [ASLEEP_LABEL]: kept } },
      }
    }
    const good = [taken('good', '3', 'adopt 3'), taken('asked', '5', 'snooze 2h')]
    const cluster = new Objects([shop, ...good])
    const kept = await imported(cluster, '--verify')
    expect(kept.code, kept.err).to.equal(0)
    expect(kept.out).to.equal('kept          deployment shop/good: asleep, 3 kept\n')
    expect(kept.err).to.include('1 more sleep by Dormouse without a record of an import')
    for (const each of [taken('lower', '1', 'adopt 3'), sleeper('left', '4')]) cluster.put(each)
    const lost = await imported(cluster, '--verify')
    expect(lost.code).to.equal(1)
    expect(lost.out).to.match(/^differs +deployment shop\/lower: asleep, 1 kept; 3 replicas recorded$/m)
    expect(lost.out).to.match(/^differs +deployment shop\/left: at 0, and not adopted; 4 replicas recorded$/m)
    expect(cluster.writes).to.deep.equal([])
  })
})

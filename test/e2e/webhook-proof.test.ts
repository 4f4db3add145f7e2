import { expect } from 'chai'
import { freePorts } from '../control-plane/ports.ts'
import { Service } from '../../src/wiring/service.ts'
import { loadConfig } from '../../src/service/config/config.ts'
import { createLogger } from '../../src/process/logger.ts'
import { Balancer } from '../support/balancer.ts'
import { describeOn } from '../support/clusters.ts'
import { configuration, CONFIGURATION, LEASES, SECRET } from '../support/enforced.ts'
import { eventually } from '../support/eventually.ts'
import { manifest } from '../support/manifests.ts'
import { parseMetrics } from '../support/metrics-text.ts'
import { createNamespace } from '../support/served.ts'

const NAMESPACE = 'proof'
/** Milliseconds; the program's default, five minutes, is too long for a test. */
const PROBING = { every: 3000, tries: [300] }

describeOn(
  'the failurePolicy for what is held is Fail only while a probe reaches the webhook',
  function (on) {
    this.timeout(180_000)
    let balancer: Balancer
    let service: Service
    let port: number
    const lines: Record<string, unknown>[] = []

    before('nobody listens at webhook.url', async () => {
      for (const name of [NAMESPACE, 'dormouse']) {
        const { status } = await on().admin.send('GET', `/api/v1/namespaces/${name}`)
        if (status === 404) await createNamespace(on(), name)
      }
      await on().create(NAMESPACE, [manifest('deployments', 'theirs', { replicas: 1 })])
      balancer = await Balancer.start()
      const ports = await freePorts(1)
      port = ports[0] ?? 0
      const config = loadConfig({
        text: JSON.stringify({
          api: { host: '127.0.0.1', port: 0, insecurePort: 0 },
          metrics: { port: 0 },
          webhook: { port, url: balancer.url },
          controller: { lease: { namespace: 'dormouse', duration: '4s', renew: '3s', retry: '1s' } },
        }),
        environment: {},
      })
      service = await Service.create({
        config,
        kubeconfig: { file: on().dormouseKubeconfig },
        ownNamespace: undefined,
        https: true,
        clock: Date.now,
        logger: createLogger('info', { write: (line) => void lines.push(JSON.parse(line)) }),
        probing: PROBING,
      })
      await service.start()
    })

    after('nothing stays behind', async () => {
      await service?.stop()
      for (const path of [CONFIGURATION, SECRET, `${LEASES}/dormouse`]) await on().admin.send('DELETE', path)
      await on().admin.send('DELETE', `/api/v1/namespaces/${NAMESPACE}`)
      await balancer?.stop()
    })

    const proven = async () => {
      const text = await (await fetch(`${service.addresses.metrics}/metrics`)).text()
      return parseMetrics(text).find(({ name }) => name === 'dormouse_webhook_proven')?.value
    }
    const policy = async () =>
      (await configuration(on())).webhooks.find(({ name }) => name === 'held.dormouse.dev')?.failurePolicy
    const scale = (replicas: number) =>
      on().kubectl.attempt(['scale', 'deployment/theirs', `--replicas=${replicas}`, '-n', NAMESPACE])
    const events = async (reason: string) =>
      on().kubectl('get', 'events', '-n', 'default', `--field-selector=reason=${reason}`, '-o', 'json')

    it('while it is not reached, scaling works, and metric, Event and log say why', async () => {
      await eventually('the leader to have tried', async () => (await proven()) === 0)
      expect(await policy()).to.equal('Ignore')
      const { code, stderr } = await scale(2)
      expect(code, stderr).to.equal(0)
      const told = await eventually('the Event', async () => {
        const text = await events('WebhookUnproven')
        return text.includes('MutatingWebhookConfiguration') && text
      })
      expect(told).to.include('The API server does not reach the webhook').and.include('probe.dormouse.dev')
      expect(
        lines.some(({ msg }) => String(msg).startsWith('The API server does not reach the webhook')),
      ).to.equal(true)
    })

    it('once it is reached, it becomes Fail', async () => {
      balancer.to([port])
      await eventually('Fail', async () => (await policy()) === 'Fail')
      expect(await proven()).to.equal(1)
      await eventually('the Event', async () =>
        (await events('WebhookProven')).includes('reaches the webhook'),
      )
    })

    it('after two failed probes in a row it becomes Ignore, and scaling works again', async () => {
      const before = lines.length
      balancer.to([], { cut: true })
      await eventually('Ignore', async () => (await policy()) === 'Ignore', { timeout: 40_000 })
      await eventually('scaling to go on', async () => (await scale(3)).code === 0)
      expect(await proven()).to.equal(0)
      const failures = lines
        .slice(before)
        .flatMap(({ failures }) => (failures === undefined ? [] : [failures]))
      expect(failures.slice(0, 2)).to.deep.equal([1, 2])
      balancer.to([port])
      await eventually('Fail again', async () => (await policy()) === 'Fail')
    })

    it('leaves no ConfigMap behind', async () => {
      const list = await on().kubectl('get', 'configmaps', '-A', '-l', 'dormouse.dev/probe', '-o', 'name')
      expect(list).to.equal('')
    })
  },
)

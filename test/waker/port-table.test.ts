import { expect } from 'chai'
import { pino } from 'pino'
import type { Allocation } from '../../src/domain/traffic/allocation.ts'
import { PortTable } from '../../src/waker/port-table.ts'

const allocation = (service: string, number: number, change: Partial<Allocation> = {}): Allocation => ({
  namespace: 'shop',
  service,
  ports: [{ name: 'http', number, mode: 'page' }],
  workloads: [`deployments/${service}`],
  addresses: ['10.1.2.3'],
  ...change,
})

describe('the table of ports', () => {
  let time = 0
  let warnings: string[] = []
  let tell: (slice: string, allocation: Allocation | undefined) => void = () => {}

  function table(standing: [string, Allocation][] = []): PortTable {
    time = 0
    warnings = []
    const made = new PortTable({
      allocations: { list: () => standing, onChange: (listener) => void (tell = listener) },
      monotonic: () => time,
      logger: pino({ level: 'warn' }, { write: (line) => void warnings.push(line) }),
    })
    made.follow()
    return made
  }

  it('knows a port by the slices that stand, and by those that come', () => {
    const ports = table([['shop/a', allocation('web', 20_001)]])
    tell('shop/b', allocation('api', 20_002))
    expect(ports.get(20_001)).to.deep.equal({
      namespace: 'shop',
      service: 'web',
      port: 'http',
      mode: 'page',
      workloads: ['deployments/web'],
    })
    expect(ports.get(20_002)?.service).to.equal('api')
    expect(ports.get(20_003)).to.equal(undefined)
  })

  it('answers a port for a minute after its slice went, but not once another Service has it', () => {
    const ports = table([['shop/a', allocation('web', 20_001)]])
    tell('shop/a', undefined)
    time = 59_999
    expect(ports.get(20_001)?.service).to.equal('web')
    time = 60_000
    expect(ports.get(20_001)).to.equal(undefined)
    tell('shop/a', allocation('web', 20_001))
    tell('shop/a', undefined)
    tell('shop/b', allocation('api', 20_001))
    expect(ports.get(20_001)?.service).to.equal('api')
  })

  it('takes the same port of both families as one', () => {
    const ports = table([
      ['shop/v4', allocation('web', 20_001)],
      ['shop/v6', allocation('web', 20_001, { addresses: ['fd00::1'] })],
    ])
    expect(ports.get(20_001)?.service).to.equal('web')
    tell('shop/v4', undefined)
    expect(ports.get(20_001)?.service).to.equal('web')
    expect(ports.names(['fd00::1'])).to.equal(true)
    expect(ports.names(['10.1.2.3'])).to.equal(false)
  })

  it('gives a port that two Services claim to neither, and says so once', () => {
    const ports = table([['shop/a', allocation('web', 20_001)]])
    tell('shop/b', allocation('api', 20_001))
    tell('shop/b', allocation('api', 20_001, { addresses: ['10.1.2.4'] }))
    expect(ports.get(20_001)).to.equal(undefined)
    expect(warnings.join('')).to.contain('shop/web').and.contain('shop/api')
    expect(warnings).to.have.length(1)
    tell('shop/a', undefined)
    expect(ports.get(20_001)?.service).to.equal('api')
  })

  it('frees the ports that an edit takes out of a slice', () => {
    const ports = table([['shop/a', allocation('web', 20_001)]])
    tell('shop/a', allocation('web', 20_002))
    time = 60_000
    expect(ports.get(20_001)).to.equal(undefined)
    expect(ports.get(20_002)?.service).to.equal('web')
  })
})

import { expect } from 'chai'
import { effectiveRequests, parseQuantity } from '../../src/kubernetes/pod-resources.ts'

const asking = (cpu: string, extra: object = {}) => ({ resources: { requests: { cpu } }, ...extra })
const SIDECAR = { restartPolicy: 'Always' }

describe('a quantity', () => {
  const cases: [string | number | undefined, number][] = [
    ['100m', 0.1],
    ['2', 2],
    [2, 2],
    ['0.5', 0.5],
    ['1.5Gi', 1.5 * 2 ** 30],
    ['128Mi', 128 * 2 ** 20],
    ['64Ki', 65536],
    ['1G', 1e9],
    ['1k', 1000],
    ['1e3', 1000],
    ['12E2', 1200],
    ['3E', 3e18],
    ['250u', 0.00025],
    ['5n', 5e-9],
    [undefined, 0],
    ['plenty', 0],
    ['1Xi', 0],
  ]
  for (const [text, value] of cases) {
    it(`${text} is ${value}`, () => expect(parseQuantity(text)).to.be.closeTo(value, Math.abs(value) * 1e-12))
  }
})

describe('what one pod asks for', () => {
  it('is the sum of its containers', () => {
    const containers = [
      { resources: { requests: { cpu: '100m', memory: '64Mi' } } },
      { resources: { requests: { cpu: '400m', memory: '1Gi' } } },
    ]
    expect(effectiveRequests({ containers })).to.deep.equal({ cpu: 0.5, memory: 64 * 2 ** 20 + 2 ** 30 })
  })

  it('is a greater init container, if there is one', () => {
    const pod = { containers: [asking('1')], initContainers: [asking('3'), asking('2')] }
    expect(effectiveRequests(pod).cpu).to.equal(3)
  })

  it('counts sidecars with the containers and with the init containers after them', () => {
    const running = { containers: [asking('2')], initContainers: [asking('1', SIDECAR)] }
    expect(effectiveRequests(running).cpu).to.equal(3)
    const starting = { containers: [asking('1')], initContainers: [asking('1', SIDECAR), asking('4')] }
    expect(effectiveRequests(starting).cpu).to.equal(5)
    const before = { containers: [asking('1')], initContainers: [asking('4'), asking('1', SIDECAR)] }
    expect(effectiveRequests(before).cpu).to.equal(4)
  })

  it('takes a limit for an absent request', () => {
    expect(effectiveRequests({ containers: [{ resources: { limits: { cpu: '2' } } }] }).cpu).to.equal(2)
  })

  it('is what the pod itself requests, where it does, and its overhead', () => {
    const pod = { containers: [asking('1')], ...asking('5'), overhead: { cpu: '250m' } }
    expect(effectiveRequests(pod).cpu).to.equal(5.25)
  })

  it('is nothing without a pod', () => {
    expect(effectiveRequests(undefined)).to.deep.equal({ cpu: 0, memory: 0 })
  })
})

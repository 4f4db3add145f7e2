import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { expect } from 'chai'
import { registerSandbox } from '../../src/cli/sandbox.ts'
import { call, type Outcome } from './terminal.ts'

const FLAGS = ['--api-port', '--kube-port', '--metrics-port', '--webhook-port'] as const

const FREE =
  '0: a free one; free ones for all at once: npm start -- --kube-port 0 --api-port 0 --metrics-port 0'

describe('an error over a port that is in use', () => {
  let other: Server
  let taken: string

  before('another server listens', async () => {
    other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    taken = String((other.address() as AddressInfo).port)
  })

  after(() => other.close())

  const sandbox = (settings: Record<string, string>): Promise<Outcome> => {
    const startedBy = { node: '/usr/bin/node', file: '/main.ts', command: 'npm start --' }
    const args = FLAGS.flatMap((flag) => [flag, settings[flag] ?? '0'])
    return call((program, ports) => registerSandbox(program, { ...ports, startedBy }), ['sandbox', ...args])
  }

  for (const [flag, told] of [
    ['--api-port', '--api-port (api.insecurePort)'],
    ['--kube-port', '--kube-port'],
    ['--metrics-port', '--metrics-port (metrics.port)'],
    ['--webhook-port', '--webhook-port (webhook.port)'],
  ] as const) {
    it(`names the option that sets it: ${flag}`, async () => {
      const { code, out, err } = await sandbox({ [flag]: taken })
      expect([code, out]).to.deep.equal([1, ''])
      expect(err).to.equal(
        `starting …\nerror: 127.0.0.1:${taken} is in use: give another by ${told}; ${FREE}\n`,
      )
    })
  }

  it('names both options where both ask for the port', async () => {
    const { err } = await sandbox({ '--kube-port': taken, '--api-port': taken })
    expect(err).to.include('give another by --kube-port or --api-port (api.insecurePort); ')
  })
})

describe('the sandbox without a folder for temporary files', () => {
  const before = process.env['TMPDIR']

  after(() => {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  })

  it('ends, and says which folder has to be writable and what names another', async () => {
    process.env['TMPDIR'] = '/nowhere/at/all'
    const startedBy = { node: '/usr/bin/node', file: '/main.ts', command: 'dormouse' }
    const ports = FLAGS.flatMap((flag) => [flag, '0'])
    const { code, out, err } = await call(
      (program, given) => registerSandbox(program, { ...given, startedBy }),
      ['sandbox', ...ports],
    )
    expect([code, out]).to.deep.equal([2, ''])
    expect(err).to.equal(
      'starting …\nerror: the folder for temporary files, /nowhere/at/all, has to be there and writable (ENOENT): TMPDIR names another\n',
    )
  })
})

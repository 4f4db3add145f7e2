import { expect } from 'chai'
import { InvalidConfig } from '../../src/service/config/config.ts'
import type { Command } from 'commander'
import type { CliPorts } from '../../src/cli/program.ts'
import { call } from './terminal.ts'

const greets = (program: Command, { stdout }: CliPorts) => {
  program.command('greet').action(() => void stdout.write('good night\n'))
}
const fails = (error: Error) => (program: Command) => {
  program.command('fail').action(async () => {
    throw error
  })
}

describe('the command line', () => {
  it('shows help and the version on stdout, and ends with 0', async () => {
    expect(await call(greets, ['--version'])).to.deep.equal({ code: 0, out: '1.2.3\n', err: '' })
    const help = await call(greets, ['--help'])
    expect(help).to.include({ code: 0, err: '' })
    expect(help.out).to.contain('greet')
  })

  for (const args of [[], ['great'], ['greet', 'you'], ['greet', '--loudly'], ['--loudly']])
    it(`ends with 2 and prints on stderr what is wrong: dormouse ${args.join(' ')}`, async () => {
      const { code, out, err } = await call(greets, args)
      expect([code, out]).to.deep.equal([2, ''])
      expect(err).not.to.equal('')
    })

  it('ends with 2 for a faulty configuration, and prints every fault on stderr', async () => {
    const source = 'DORMOUSE_API_PORT'
    const fault = { pointer: '/api/port', source, expected: 'a port', found: '"x"', message: 'no port' }
    const { code, err } = await call(fails(new InvalidConfig([fault, fault])), ['fail'])
    expect(code).to.equal(2)
    expect(err).to.equal(
      'error: 2 faults in the configuration:\n' + '  DORMOUSE_API_PORT: /api/port: no port\n'.repeat(2),
    )
  })

  it('ends with 1 for any other failure', async () => {
    expect(await call(fails(new Error('the cluster is gone')), ['fail'])).to.deep.equal({
      code: 1,
      out: '',
      err: 'error: the cluster is gone\n',
    })
  })
})

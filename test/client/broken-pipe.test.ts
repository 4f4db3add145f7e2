import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'chai'
import { programEnvironment, PROJECT } from '../support/dormouse.ts'
import { httpServer } from '../support/http-server.ts'
import { aRecord } from './fake-dormouse.ts'

const COUNT = 100

describe('a program that nobody reads any more', function () {
  this.timeout(180_000)
  let begun = 0
  let answered = 0
  const data = Array.from({ length: COUNT }, (_, n) => aRecord(`w${n}`).record)
  const api = httpServer((request, response) => {
    request.resume()
    const answer = (body: object) => response.end(JSON.stringify({ success: true, message: 'done', ...body }))
    if (request.method === 'GET') {
      answer({ data: request.url?.includes('empty') ? [] : data })
      return
    }
    begun += 1
    setTimeout(() => {
      if (!response.destroyed) answered += 1
      answer({ data: data[0] })
    }, 50)
  })
  beforeEach(() => {
    begun = 0
    answered = 0
  })

  const start = (program: string, ...args: string[]) =>
    spawn(process.execPath, [`${PROJECT}/src/${program}`, ...args, '--server', api.url], {
      env: { ...programEnvironment(), DORMOUSE_TOKEN: 'token' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })

  for (const program of ['cli/people/main.ts', 'main.ts'])
    describe(`started by src/${program}`, () => {
      it('ends what it has begun, begins nothing else, and does not call that a success', async () => {
        const child = start(program, 'snooze', '--all', '--yes', '-n', 'shop')
        const said: Buffer[] = []
        child.stderr.on('data', (chunk: Buffer) => said.push(chunk))
        await once(child.stdout, 'data')
        child.stdout.destroy()
        const [code] = (await once(child, 'close')) as [number | null]
        expect(code).to.equal(130)
        expect(begun).to.be.below(COUNT)
        expect(answered).to.equal(begun)
        expect(Buffer.concat(said).toString()).to.match(/^stopped: \d+ of 100 were left as they are$/m)
      })

      it('that only shows something has shown enough', async () => {
        const child = start(program, 'list', '-n', 'shop')
        child.stdout.destroy()
        const [code] = (await once(child, 'close')) as [number | null]
        expect(code).to.equal(0)
      })

      it('says nothing where nobody hears it, and goes on', async () => {
        const child = start(program, 'list', '-n', 'empty')
        child.stderr.destroy()
        const [code] = (await once(child, 'close')) as [number | null]
        expect(code).to.equal(0)
      })
    })
})

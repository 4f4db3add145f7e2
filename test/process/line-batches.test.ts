import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { LineBatches } from '../../src/process/line-batches.ts'
import { createLogger } from '../../src/process/logger.ts'

describe('log lines in batches', () => {
  let written: string[]
  let batches: LineBatches
  const line = (text: string) => `{"level":"info","msg":"${text}"}\n`
  beforeEach(() => {
    written = []
    batches = new LineBatches({ write: (text) => void written.push(text) })
  })

  it('go together in one write, in their order, and soon', async () => {
    for (const text of ['one', 'two', 'three']) batches.write(line(text))
    expect(written).to.deep.equal([])
    await sleep(200)
    expect(written).to.deep.equal([line('one') + line('two') + line('three')])
  })

  it('are JSON that steers no terminal, and loses nothing', () => {
    const text = 'found \u001B[2J \u009B31m \u007F \u202Etxet \u2066 ü 😴'
    createLogger('info', batches).warn(text)
    const [logged = ''] = written
    expect(logged).to.not.match(/[^\P{Cc}\n]|\p{Bidi_Control}/u)
    expect(JSON.parse(logged)).to.have.property('msg', text)
  })

  it('are written at once by a flush, and only once', async () => {
    batches.write(line('one'))
    batches.flush()
    batches.flush()
    expect(written).to.deep.equal([line('one')])
    batches.write(line('two'))
    await sleep(200)
    expect(written).to.deep.equal([line('one'), line('two')])
  })

  it('go at once, with those before them, if they are of the audit or warn', () => {
    const logger = createLogger('info', batches)
    logger.info('waits')
    expect(written).to.have.length(0)
    logger.info({ result: 'OK' }, 'audit')
    expect(written).to.have.length(1)
    logger.warn('the cluster does not answer')
    logger.error('a part failed')
    expect(written).to.have.length(3)
  })
})

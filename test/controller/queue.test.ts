import { expect } from 'chai'
import type { Priority } from '../../src/controller/ports.ts'
import { WorkQueue } from '../../src/controller/queue.ts'
import { settled } from './fake-time.ts'
import { Told } from './told.ts'

/** A queue whose work lasts until it is said to be done. */
function aQueue({ concurrency = 1, open = true } = {}) {
  const told = new Told()
  const started: string[] = []
  const running = new Map<string, () => void>()
  let now = 0
  const work = (key: string, priority: Priority) => {
    expect(running.has(key), `${key} is in two hands`).to.equal(false)
    started.push(`${key} ${priority}`)
    return new Promise<void>((resolve) => running.set(key, resolve))
  }
  const queue = new WorkQueue(work, concurrency, () => now, told)
  if (open) queue.open()
  const finish = async (key: string) => {
    running.get(key)?.()
    running.delete(key)
    await settled()
  }
  return { queue, told, started, running, finish, wait: (ms: number) => (now += ms) }
}

describe('the work queue', () => {
  it('hands out wakes before snoozes before completions, and of those the oldest first', async () => {
    const { queue, started, running, finish } = aQueue()
    queue.add('first', 'snooze')
    queue.add('done', 'completion')
    queue.add('sleep 1', 'snooze')
    queue.add('sleep 2', 'snooze')
    queue.add('wake', 'wake')
    while (running.size > 0) await finish([...running.keys()][0]!)
    expect(started.slice(1)).to.deep.equal([
      'wake wake',
      'sleep 1 snooze',
      'sleep 2 snooze',
      'done completion',
    ])
  })

  it('works on as many keys at once as it may, and on no key twice at once', async () => {
    const { queue, running, finish } = aQueue({ concurrency: 4 })
    for (let i = 0; i < 10; i++) queue.add(`key ${i % 6}`, 'snooze')
    expect([...running.keys()]).to.have.length(4)
    await finish('key 0')
    expect([...running.keys()]).to.have.length(4)
  })

  it('holds a key once, under its newest priority, from when it first came', async () => {
    const { queue, told, started, finish, wait } = aQueue()
    queue.add('busy', 'wake')
    queue.add('a', 'completion')
    wait(3000)
    queue.add('a', 'wake')
    expect(queue.depth).to.equal(1)
    await finish('busy')
    expect(started).to.deep.equal(['busy wake', 'a wake'])
    expect(told.waits).to.deep.equal([0, 3])
  })

  it('works again on what was added while it was in work, once', async () => {
    const { queue, started, finish } = aQueue()
    queue.add('a', 'snooze')
    queue.add('a', 'completion')
    queue.add('a', 'wake')
    expect(started).to.have.length(1)
    await finish('a')
    expect(started).to.deep.equal(['a snooze', 'a wake'])
    await finish('a')
    expect(started).to.have.length(2)
  })

  it('forgets what needs no work any more, also what was to be worked on again', async () => {
    const { queue, told, started, finish } = aQueue()
    queue.add('a', 'snooze')
    queue.add('b', 'snooze')
    queue.add('a', 'snooze')
    queue.forget('a')
    queue.forget('b')
    expect(told.depth).to.equal(0)
    await finish('a')
    expect(started).to.deep.equal(['a snooze'])
  })

  it('leaves workers to snoozes while wakes are held up', () => {
    const { queue, running } = aQueue({ concurrency: 8 })
    for (let i = 0; i < 20; i++) queue.add(`wake ${i}`, 'wake')
    queue.add('sleep', 'snooze')
    expect([...running.keys()])
      .to.include('sleep')
      .and.to.have.length(7)
  })

  it('takes nothing before it is opened, and nothing after it is closed', async () => {
    const { queue, started } = aQueue({ open: false })
    queue.add('a', 'wake')
    queue.open()
    await queue.close()
    queue.add('b', 'wake')
    expect(started).to.deep.equal([])
  })

  it('closes when what is in work is done, and forgets what waits', async () => {
    const { queue, told, started, finish } = aQueue()
    queue.add('a', 'wake')
    queue.add('b', 'wake')
    let closed = false
    const closing = queue.close().then(() => (closed = true))
    await settled()
    expect(closed).to.equal(false)
    expect(told.depth).to.equal(0)
    await finish('a')
    await closing
    expect(started).to.deep.equal(['a wake'])
  })

  it('may be opened again', async () => {
    const { queue, started, finish } = aQueue()
    queue.add('a', 'wake')
    const closing = queue.close()
    await finish('a')
    await closing
    queue.open()
    queue.add('b', 'wake')
    expect(started).to.deep.equal(['a wake', 'b wake'])
    await finish('b')
    await queue.close()
  })
})

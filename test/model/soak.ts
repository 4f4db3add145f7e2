import { Command, InvalidArgumentError } from 'commander'
import { Player, SANDBOX } from './player.ts'
import { holds, type Sum } from './property.ts'

// `npm run soak -- --minutes 60`: random scenarios for as long, over the same two replicas.

const { minutes } = new Command('soak')
  .description(
    'Plays random scenarios on a sandbox; ends with 1 at the first violation, and prints its seed.',
  )
  .option('--minutes <number>', 'how long', whole, 60)
  .parse()
  .opts<{ minutes: number }>()

const player = new Player(SANDBOX)
const end = performance.now() + minutes * 60_000
const total: Sum = { scenarios: 0, writes: 0, causes: 0 }
const size = { workloads: 30, steps: 80, moves: true }
// Loads lazily loaded modules first.
await holds(player, size, { numRuns: 3 })
await say('begin')
try {
  while (performance.now() < end) {
    const { scenarios, writes, causes } = await holds(player, size, { numRuns: 10, longest: 20 * 60_000 })
    total.scenarios += scenarios
    total.writes += writes
    total.causes += causes
    await say(`${total.scenarios} scenarios`)
  }
} finally {
  await player.stop()
}

async function say(when: string): Promise<void> {
  const replicas = await player.load()
  const loads = replicas.map(({ megabytes, descriptors }) => `${megabytes} MB and ${descriptors} descriptors`)
  const rate = total.causes === 0 ? '' : `; ${(total.writes / total.causes).toFixed(2)} writes a cause`
  process.stdout.write(`${when}: ${loads.join(', ')}${rate}\n`)
}

function whole(text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('a whole number from 1 on')
  return value
}

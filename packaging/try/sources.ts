import { processTerminal } from '../../src/client/process-terminal.ts'
import { runClient } from '../../src/cli/people/program.ts'
import { project } from '../project.ts'
import type { Asked, Ended } from './program.ts'

// Runs commands with the client of the sources, as its own main.ts does but in one process: each start would take longer than the command.
process.on('message', (asked: Asked) => void answer(asked))

async function answer({ id, words, isEndless }: Asked): Promise<void> {
  const stop = new AbortController()
  const written = { stdout: '', stderr: '' }
  const terminal = {
    ...processTerminal(process, 'dormouse', stop.signal),
    ask: undefined,
    stdout: {
      write(text: string) {
        written.stdout += text
        if (isEndless) setTimeout(() => stop.abort(), 300)
      },
    },
    stderr: { write: (text: string) => (written.stderr += text) },
  }
  const code = await runClient(words, project.version, terminal)
  process.send?.({ id, ended: { code, ...written } satisfies Ended })
}

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Program } from '../../packaging/try/program.ts'
import { asFromSources, tried, type Outcome } from '../../packaging/try/trial.ts'
import { print } from '../support/figures.ts'

interface PackedTrial {
  /** Outside the project: nothing is found in its node_modules. */
  readonly folder: string
  /** The outcome of every command in every output, by the sources. */
  readonly fromSources: readonly Outcome[]
  /** Runs every command in every output with a program, and expects what the sources made of it. */
  doesAsTheSources(program: Program): Promise<void>
}

/** Registers the hooks of a suite that tries what is packed. */
export function packedTrial(): PackedTrial {
  let folder = ''
  let fromSources: readonly Outcome[] = []

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dormouse-packed-'))
    fromSources = await asFromSources()
  })

  after(() => rm(folder, { recursive: true, force: true }))

  return {
    get folder() {
      return folder
    },
    get fromSources() {
      return fromSources
    },
    async doesAsTheSources(program) {
      const begun = performance.now()
      const { commands, faults } = await tried(program, fromSources)
      const seconds = ((performance.now() - begun) / 1000).toFixed(0)
      print([`${commands} commands as from the sources in ${seconds} s`])
      expect(faults).to.deep.equal([])
      expect(commands).to.be.above(fromSources.length)
    },
  }
}

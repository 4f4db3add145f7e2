import { expect } from 'chai'
import type { Program } from '../../packaging/try/program.ts'
import { tried, type Outcome } from '../../packaging/try/trial.ts'
import { print } from '../support/figures.ts'

/** Runs every command in every output with a program, and expects what the sources made of it. */
export async function doesAsTheSources(fromSources: readonly Outcome[], program: Program): Promise<void> {
  const begun = performance.now()
  const { commands, faults } = await tried(program, fromSources)
  print([`${commands} commands as from the sources in ${((performance.now() - begun) / 1000).toFixed(0)} s`])
  expect(faults).to.deep.equal([])
  expect(commands).to.be.above(fromSources.length)
}

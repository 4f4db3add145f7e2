import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { nameOf, workflowOf, type Workflow } from '../../.github/rehearsal/workflow.ts'
import { PROJECT } from '../support/dormouse.ts'

export async function read(file: string): Promise<Workflow> {
  return workflowOf(await readFile(join(PROJECT, '.github/workflows', file), 'utf8'))
}

/** `release.yaml: image: Try it`, of all steps that run something. */
export async function titlesOf(file: string): Promise<string[]> {
  const jobs = Object.entries((await read(file)).jobs)
  return jobs.flatMap(([id, { steps = [] }]) =>
    steps.filter(({ run }) => run).map((step) => `${file}: ${id}: ${nameOf(step)}`),
  )
}

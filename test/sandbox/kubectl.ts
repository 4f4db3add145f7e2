import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SandboxCluster } from '../../src/sandbox/sandbox.ts'
import { kubectlFor, type Kubectl } from '../support/kubectl.ts'
import { leaveOut } from '../support/leave-out.ts'
import { startSandbox } from './cluster.ts'

export interface KubectlSandbox {
  readonly sandbox: SandboxCluster
  readonly kubectl: Kubectl
  /** For the test's own files. */
  readonly directory: string
  readonly kubeconfig: string
}

/** One sandbox for the suite, and kubectl for it; where kubectl is not installed the suite is left out. */
export function sandboxWithKubectl(): KubectlSandbox {
  const here = {} as { -readonly [Name in keyof KubectlSandbox]: KubectlSandbox[Name] }
  before('a sandbox starts', async function () {
    if (spawnSync('kubectl', ['version', '--client']).error) leaveOut(this, 'kubectl is not on the path')
    here.sandbox = await startSandbox({ readyAfterMs: 20 })
    here.directory = await mkdtemp(join(tmpdir(), 'dormouse-kubectl-'))
    here.kubeconfig = join(here.directory, 'kubeconfig')
    await writeFile(here.kubeconfig, here.sandbox.kubeconfig())
    here.kubectl = kubectlFor(here.kubeconfig, join(here.directory, 'cache'))
  })
  after('the sandbox stops', async () => {
    await here.sandbox?.stop()
    if (here.directory) await rm(here.directory, { recursive: true })
  })
  return here
}

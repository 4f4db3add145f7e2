import { join } from 'node:path'
import { writeFile } from 'node:fs/promises'
import type { Client, KubernetesObject } from './client.ts'
import type { RunningProgram } from './process.ts'
import { whenReady } from './wait.ts'

/** kwok's own settings, read before its stages: enough workers for a wave of 200 pods. */
export async function writeKwokConfiguration(directory: string): Promise<string> {
  const file = join(directory, 'kwok.json')
  const configuration = {
    apiVersion: 'config.kwok.x-k8s.io/v1alpha1',
    kind: 'KwokConfiguration',
    // All four are needed: if one is set, kwok takes the others as 0 and refuses to start.
    options: {
      podPlayStageParallelism: 32,
      nodePlayStageParallelism: 4,
      nodeLeaseParallelism: 4,
      podsOnNodeSyncParallelism: 4,
    },
  }
  await writeFile(file, JSON.stringify(configuration))
  return file
}

/** Creates `count` nodes (`node-1`, …) large enough for thousands of pods; kwok makes them ready. */
export async function createNodes(client: Client, count: number): Promise<void> {
  const size = { cpu: '4000', memory: '16Ti', pods: '10000' }
  for (let number = 1; number <= count; number++) {
    const name = `node-${number}`
    await client.expect('POST', '/api/v1/nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name,
        labels: {
          'kubernetes.io/hostname': name,
          'kubernetes.io/os': 'linux',
          'kubernetes.io/arch': 'amd64',
        },
      },
      status: { allocatable: size, capacity: size },
    })
  }
}

/** Resolves when all `count` nodes are ready and have lost the taints of new nodes. */
export async function nodesReady(client: Client, count: number, kwok: RunningProgram): Promise<void> {
  await whenReady(kwok, `${count} ready nodes`, async () => {
    const { items = [] } = await client.expect('GET', '/api/v1/nodes')
    return items.filter((node) => isReady(node) && !isTainted(node)).length >= count
  })
}

function isReady(node: KubernetesObject): boolean {
  const conditions = (node.status?.['conditions'] ?? []) as { type: string; status: string }[]
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True')
}

function isTainted(node: KubernetesObject): boolean {
  return ((node.spec?.['taints'] ?? []) as unknown[]).length > 0
}

import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import { sharedCache } from '../go-programs/cache.ts'

/** What is built, and from which release. A change of any of these makes a new cache folder. */
export const versions = { kubernetes: '1.35.4', etcd: '3.6.8', kwok: '0.8.0' } as const

export const programNames = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kwok',
] as const
export type ProgramName = (typeof programNames)[number]

/** kwok's own stages (what a fake node or pod does, and when), joined into one file beside the programs. */
export const stagesFile = 'kwok-stages.yaml'

/** Absolute paths of everything that a control plane needs. */
export interface Programs {
  readonly directory: string
  readonly paths: Readonly<Record<ProgramName, string>>
  readonly stages: string
}

/**
 * Where built programs are kept: `DORMOUSE_CONTROL_PLANE_CACHE`, or a folder of the user's cache that clones
 * share.
 */
export function cacheDirectory(env = process.env): string {
  const key = `control-plane-k${versions.kubernetes}-e${versions.etcd}-w${versions.kwok}`
  return env['DORMOUSE_CONTROL_PLANE_CACHE'] ?? sharedCache(key, env)
}

/** The programs in `directory`, or the names of what is missing there. */
export async function programsIn(directory: string): Promise<Programs | { missing: string[] }> {
  const paths = Object.fromEntries(programNames.map((name) => [name, join(directory, name)]))
  const stages = join(directory, stagesFile)
  const wanted = [
    ...Object.values(paths).map((path) => [path, constants.X_OK] as const),
    [stages, constants.R_OK] as const,
  ]
  const present = await Promise.all(
    wanted.map(([path, mode]) =>
      access(path, mode)
        .then(() => true)
        .catch(() => false),
    ),
  )
  const missing = [...programNames, stagesFile].filter((_, at) => !present[at])
  return missing.length > 0 ? { missing } : { directory, paths: paths as Record<ProgramName, string>, stages }
}

import { constants } from 'node:fs'
import { join } from 'node:path'
import { isThere, sharedCache } from '../go-programs/cache.ts'

/** The programs and their releases. A change of any of these makes a new cache folder. */
interface Versions {
  readonly kubernetes: string
  readonly etcd: string
  readonly kwok: string
}

/** The releases of Kubernetes that the suite runs on: a patch of each, with the etcd that it ships with. */
const NEWEST: Versions = { kubernetes: '1.35.4', etcd: '3.6.8', kwok: '0.8.0' }
/** The oldest that the chart's `kubeVersion` admits. */
const OLDEST: Versions = { kubernetes: '1.30.14', etcd: '3.5.15', kwok: '0.8.0' }

/** The versions of a release (`1.30`, or `oldest`); without one, the newest. @throws Error that names those there are */
export function versionsOf(release: string | undefined): Versions {
  if (!release) return NEWEST
  if (release === 'oldest') return OLDEST
  const found = [NEWEST, OLDEST].find(({ kubernetes }) => minorOf(kubernetes) === release)
  if (found) return found
  const known = [NEWEST, OLDEST].map(({ kubernetes }) => minorOf(kubernetes)).join(', ')
  throw new Error(`DORMOUSE_KUBERNETES=${release}: the suite runs on ${known} and oldest`)
}

/** `1.30` of `1.30.14`. */
export function minorOf(version: string): string {
  return version.split('.').slice(0, 2).join('.')
}

/** The releases of `DORMOUSE_KUBERNETES`. */
export const versions = versionsOf(process.env['DORMOUSE_KUBERNETES'])

export const programNames = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kwok',
] as const
export type ProgramName = (typeof programNames)[number]

/** kwok's own stages (the actions of fake nodes and pods, with their times), joined into one file beside the programs. */
export const stagesFile = 'kwok-stages.yaml'

/** Absolute paths of everything that a control plane needs. */
export interface Programs {
  readonly directory: string
  readonly paths: Readonly<Record<ProgramName, string>>
  readonly stages: string
}

/** The place of built programs: a folder for each set of versions. */
export function cacheDirectory({ kubernetes, etcd, kwok }: Versions = versions): string {
  return sharedCache(`control-plane-k${kubernetes}-e${etcd}-w${kwok}`)
}

/** The programs in `directory`, or the names of the missing ones. */
export function programsIn(directory: string): Programs | { missing: string[] } {
  const paths = Object.fromEntries(programNames.map((name) => [name, join(directory, name)]))
  const stages = join(directory, stagesFile)
  const missing = [
    ...programNames.filter((name) => !isThere(join(directory, name), constants.X_OK)),
    ...(isThere(stages, constants.R_OK) ? [] : [stagesFile]),
  ]
  return missing.length > 0 ? { missing } : { directory, paths: paths as Record<ProgramName, string>, stages }
}

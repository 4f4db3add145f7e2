import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'

/** A system that there is an executable for, as Go and krew name it. */
interface Platform {
  readonly os: 'linux' | 'darwin' | 'windows'
  readonly arch: 'amd64' | 'arm64'
}

export const PLATFORMS: readonly Platform[] = [
  { os: 'linux', arch: 'amd64' },
  { os: 'linux', arch: 'arm64' },
  { os: 'darwin', arch: 'amd64' },
  { os: 'darwin', arch: 'arm64' },
  { os: 'windows', arch: 'amd64' },
]

const REPOSITORY = 'https://github.com/dormouse-dev/dormouse'

/** The archive's name in a release. */
export function archiveOf({ os, arch }: Platform): string {
  return `kubectl-dormouse-${os}-${arch}.tar.gz`
}

/** krew's manifest (krew docs, "Developing kubectl plugins"); `sha256Of`: of an archive. */
export function krewManifest(version: string, sha256Of: (archive: string) => string): object {
  return {
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: 'dormouse' },
    spec: {
      version: `v${version}`,
      homepage: REPOSITORY,
      shortDescription: 'See which workloads sleep and why, wake them',
      description:
        'Shows which workloads Dormouse has put to sleep, why, and when they wake; wakes them, puts them to sleep,\n' +
        'holds them and changes their hours, with your own rights and your name in their history.\n',
      caveats: `Dormouse has to run in the cluster: ${REPOSITORY}\n`,
      platforms: PLATFORMS.map((platform) => {
        const { os, arch } = platform
        const bin = os === 'windows' ? 'kubectl-dormouse.exe' : 'kubectl-dormouse'
        return {
          selector: { matchLabels: { os, arch } },
          uri: `${REPOSITORY}/releases/download/v${version}/${archiveOf(platform)}`,
          sha256: sha256Of(archiveOf(platform)),
          bin,
          files: [
            { from: bin, to: '.' },
            { from: 'LICENSE', to: '.' },
            { from: 'LICENSES.txt', to: '.' },
          ],
        }
      }),
    },
  }
}

/** `node packaging/krew.ts 1.2.3 assets`: the manifest for the archives in that folder. */
if (import.meta.main) {
  const [version = '', folder = '.'] = process.argv.slice(2)
  const sums = new Map<string, string>()
  for (const platform of PLATFORMS) {
    const bytes = await readFile(join(folder, archiveOf(platform)))
    sums.set(archiveOf(platform), createHash('sha256').update(bytes).digest('hex'))
  }
  process.stdout.write(stringify(krewManifest(version, (archive) => sums.get(archive) ?? '')))
}

import { access, cp, mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { PROJECT } from '../support/dormouse.ts'
import { run } from './programs.ts'
import type { ImageStore } from './store.ts'

/** The content of all secrets that the build can see; the image must not contain it. */
export const SECRET = 'never-to-be-in-the-image'

/** Not in a clean checkout. */
const LEFT_OUT = new Set(['.git', '.cache', 'coverage', 'node_modules'])

/** Files that developers have in their folders; the image must not contain them. */
const SECRET_FILES = ['.env', '.git/config', '.npmrc', 'keys/private.pem', 'node_modules/left/index.js']

/** Builds the Dockerfile from a clean copy of the working tree, made in `folder`. */
export async function build(store: ImageStore, folder: string, image: string): Promise<void> {
  const context = join(folder, 'context')
  await cp(PROJECT, context, { recursive: true, filter: (path) => !LEFT_OUT.has(basename(path)) })
  for (const file of SECRET_FILES) {
    await mkdir(dirname(join(context, file)), { recursive: true })
    await writeFile(join(context, file), `; ${SECRET}\n`)
  }
  const volumes = await registryVolumes(folder)
  const how = ['--quiet', '--pull=never', '--network=host', '--layers=false', ...volumes]
  await store.buildah('bud', ...how, '--tag', image, context)
}

/** Mounts npm's registry settings of this machine for the build: address, certificates and credentials. */
async function registryVolumes(folder: string): Promise<string[]> {
  const ask = async (key: string) => {
    const answer = await run('npm', ['config', 'get', key])
    return ['null', 'undefined', ''].includes(answer) ? undefined : answer
  }
  const authorities = (await ask('cafile')) ?? process.env['NODE_EXTRA_CA_CERTS']
  const lines = [`; ${SECRET}`, `registry=${await ask('registry')}`, 'update-notifier=false']
  const volumes = [`${join(folder, 'npmrc')}:/usr/local/etc/npmrc:ro`]
  if (authorities) {
    lines.push(`cafile=${authorities}`)
    volumes.push(`${authorities}:${authorities}:ro`)
  }
  await writeFile(join(folder, 'npmrc'), `${lines.join('\n')}\n`)
  const own = await ask('userconfig')
  if (
    own &&
    (await access(own).then(
      () => true,
      () => false,
    ))
  )
    volumes.push(`${own}:/root/.npmrc:ro`)
  return volumes.flatMap((volume) => ['--volume', volume])
}

import { access, cp, mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { PROJECT } from '../support/dormouse.ts'
import { run } from './programs.ts'
import type { ImageStore } from './store.ts'

/** Stands for a secret: wherever the build can see one, it is this, and the image must not contain it. */
export const SECRET = 'never-to-be-in-the-image'

/** What a clean checkout has not. */
const LEFT_OUT = new Set(['.git', '.cache', 'coverage', 'node_modules'])

/** What lies about in the folders of people, and must stay there. */
const TEMPTATIONS = ['.env', '.git/config', '.npmrc', 'keys/private.pem', 'node_modules/left/index.js']

/** Builds the Dockerfile as it is, from a clean copy of the working tree in `folder`. */
export async function build(store: ImageStore, folder: string, image: string): Promise<void> {
  const context = join(folder, 'context')
  await cp(PROJECT, context, { recursive: true, filter: (path) => !LEFT_OUT.has(basename(path)) })
  for (const temptation of TEMPTATIONS) {
    await mkdir(dirname(join(context, temptation)), { recursive: true })
    await writeFile(join(context, temptation), `; ${SECRET}\n`)
  }
  const volumes = await registryVolumes(folder)
  const how = ['--quiet', '--pull=never', '--network=host', '--layers=false', ...volumes]
  await store.buildah('bud', ...how, '--tag', image, context)
}

/** This machine's way to npm's registry, mounted while it is built: its address, certificates and credentials. */
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

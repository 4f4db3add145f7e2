import { cp, mkdir, mkdtemp, realpath, rename, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { isThere, madeOnce, sharedCache } from '../go-programs/cache.ts'
import { run } from './programs.ts'
import { ImageStore } from './store.ts'

/** The Dockerfile's base image. No image registry is reachable, so a stand-in is tagged with its name. */
export const BASE = 'docker.io/library/node:24-slim'
const RELEASE = 'bookworm'

/**
 * The archive of a stand-in for the base image, from the cache or built now (some 45 s): a minimal Debian with
 * this process's Node and the machine's npm, laid out like the official image.
 */
export async function baseArchive(): Promise<string> {
  if (!process.version.startsWith('v24.'))
    throw new Error(`the image needs Node 24, this is ${process.version}`)
  const cache = sharedCache(`image-base-${RELEASE}-node-${process.version}`)
  const archive = join(cache, 'base.tar')
  const found = () => (isThere(archive) ? archive : undefined)
  return madeOnce(
    cache,
    (line) => process.stderr.write(`${line}\n`),
    found,
    async () => {
      await make(archive)
      return archive
    },
  )
}

async function make(archive: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'dormouse-image-base-'))
  const store = new ImageStore(join(folder, 'store'))
  try {
    const root = join(folder, 'root')
    await debootstrap(root)
    await addNode(root)
    await store.commit(root, BASE)
    const fresh = join(folder, 'base.tar')
    await store.buildah('push', '--quiet', BASE, `oci-archive:${fresh}`)
    await mkdir(dirname(archive), { recursive: true })
    // Copied first, since the cache may be on another file system; the rename makes it appear whole.
    await cp(fresh, `${archive}.${process.pid}`)
    await rename(`${archive}.${process.pid}`, archive)
  } finally {
    await store.remove()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Uses the mirror and the proxy of this machine's apt. */
async function debootstrap(root: string): Promise<void> {
  const format = ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages', 'Label: Debian']
  const mirrors = await run('apt-get', format).catch(() => '')
  const mirror = mirrors.split('\n')[0] || 'http://deb.debian.org/debian'
  const proxy = await run('apt-config', ['dump', '--format', '%v%n', 'Acquire::http::Proxy']).catch(() => '')
  const variables = proxy === '' ? {} : { http_proxy: proxy, https_proxy: proxy }
  await run('debootstrap', ['--variant=minbase', RELEASE, root, mirror], variables)
  for (const bulk of [
    'var/cache/apt',
    'var/lib/apt/lists',
    'usr/share/doc',
    'usr/share/locale',
    'usr/share/man',
  ])
    await rm(join(root, bulk), { recursive: true, force: true })
}

async function addNode(root: string): Promise<void> {
  const local = join(root, 'usr', 'local')
  const npm = await realpath(await run('sh', ['-c', 'command -v npm']))
  await cp(process.execPath, join(local, 'bin', 'node'), { dereference: true })
  await cp(dirname(dirname(npm)), join(local, 'lib', 'node_modules', 'npm'), { recursive: true })
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin', 'npm'))
}

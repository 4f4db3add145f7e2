import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { versions } from '../control-plane/programs.ts'
import { builtOnce } from './built-once.ts'
import { buildCommands, downloadModule, writeBuildModule } from './go-module.ts'

const MODULE = 'go.etcd.io/etcd/etcdutl/v3'
const VERSION = `v${versions.etcd}`

/** The path of `etcdutl`, which makes a data folder of a backup, of the release of the control plane's etcd. */
export const etcdutl = builtOnce(
  { title: 'etcdutl', key: `etcdutl-${VERSION}`, programs: ['etcdutl'], takes: 'a minute', build },
  (folder) => join(folder, 'etcdutl'),
)

async function build(into: string, say: (line: string) => void): Promise<void> {
  const folder = join(into, 'module')
  await mkdir(folder, { recursive: true })
  await writeBuildModule([await downloadModule(MODULE, VERSION)], folder)
  await buildCommands(folder, { commands: [MODULE], output: join(into, 'etcdutl') }, say)
  await rm(folder, { recursive: true, force: true })
}

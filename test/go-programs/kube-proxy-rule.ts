import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { versions } from '../control-plane/programs.ts'
import { builtOnce } from './built-once.ts'
import { buildCommands, downloadModule, writeBuildModule } from './go-module.ts'

const MODULE = 'k8s.io/kubernetes'

/**
 * The path of a program that says where kube-proxy would send a connection, by kube-proxy's own code in the release of the
 * control plane.
 */
export const kubeProxyRule = builtOnce<string>(
  {
    title: "kube-proxy's rule",
    key: `kube-proxy-rule-${versions.kubernetes}`,
    programs: ['kube-proxy-rule'],
    takes: 'a minute after the control plane',
    build,
  },
  (folder) => join(folder, 'kube-proxy-rule'),
)

async function build(into: string, say: (line: string) => void): Promise<void> {
  const version = `v${versions.kubernetes}`
  const folder = join(into, 'module')
  await writeBuildModule([await downloadModule(MODULE, version)], folder, version.replace(/^v1\./, 'v0.'))
  await cp(join(import.meta.dirname, 'kube-proxy-rule'), join(folder, 'rule'), { recursive: true })
  await buildCommands(folder, { commands: ['./rule'], output: join(into, 'kube-proxy-rule') }, say)
  await rm(folder, { recursive: true, force: true })
}

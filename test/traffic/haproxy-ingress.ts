import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Cluster } from '../support/cluster.ts'
import type { Need } from '../suite/need.ts'
import { onPath } from '../suite/on-path.ts'
import { Front } from './front.ts'

/** The path of HAProxy. */
export const haproxy: Need<string> = {
  phrase: 'with HAProxy',
  quick: false,
  gotten: 'installed by `.ci/install long` (Debian: haproxy)',
  find: () => onPath('haproxy', ['-v']),
}

/** HAProxy starts with this, and the controller writes another. */
const FIRST_CONFIGURATION = 'defaults\n timeout client 1s\n timeout server 1s\n timeout connect 1s\n'

/**
 * HAProxy Ingress with its defaults, beside HAProxy as a program of its own. It listens on the ports of its defaults, in a
 * network of its own. `folder`: its program, templates and scripts.
 */
export async function startHaproxyIngress(
  [path, folder]: readonly [string, string],
  on: Cluster,
): Promise<Front> {
  const directory = await mkdtemp(join(tmpdir(), 'dormouse-haproxy-ingress-'))
  const configuration = join(directory, 'etc/haproxy')
  const sockets = join(directory, 'var/run/haproxy')
  await mkdir(sockets, { recursive: true })
  await cp(join(folder, 'rootfs/etc/lua'), join(configuration, 'lua'), { recursive: true })
  await writeFile(join(configuration, 'haproxy.cfg'), FIRST_CONFIGURATION)
  const socket = join(sockets, 'master.sock')
  const front = new Front(80, () => rm(directory, { recursive: true }))
  front.run(path, ['-W', '-S', socket, '-f', configuration])
  const options = [
    `--kubeconfig=${on.adminKubeconfig}`,
    `--local-filesystem-prefix=${directory}`,
    `--master-socket=${socket}`,
    '--watch-ingress-without-class',
    '--watch-gateway=false',
    '--update-status=false',
  ]
  front.run(join(folder, 'haproxy-ingress'), options, folder)
  return front
}

import { appendFile, cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { builtOnce } from './built-once.ts'
import { buildCommands, downloadModule, writeBuildModule, type GoModule } from './go-module.ts'

const SKIPPER = { module: 'github.com/zalando/skipper', version: 'v0.22.0' }
const HAPROXY_INGRESS = { module: 'github.com/jcmoraisjr/haproxy-ingress', version: 'v0.16.1' }
const TRAEFIK = { module: 'github.com/traefik/traefik/v3', version: 'v3.7.13' }

/** The path of Skipper, which reads EndpointSlices by itself. */
export const skipper = builtOnce<string>(
  {
    title: `Skipper ${SKIPPER.version}`,
    key: `skipper-${SKIPPER.version}`,
    programs: ['skipper'],
    takes: 'three minutes',
    async build(into, say) {
      const module = await downloadModule(SKIPPER.module, SKIPPER.version)
      await buildAsReleased(module, 'cmd/skipper', join(into, 'skipper'), say)
    },
  },
  (folder) => join(folder, 'skipper'),
)

/** The folder of HAProxy Ingress: its program, and beside it the templates and scripts of its image. */
export const haproxyIngress = builtOnce<string>(
  {
    title: `HAProxy Ingress ${HAPROXY_INGRESS.version}`,
    key: `haproxy-ingress-${HAPROXY_INGRESS.version}`,
    programs: ['haproxy-ingress'],
    beside: ['rootfs'],
    takes: 'three minutes',
    async build(into, say) {
      const module = await downloadModule(HAPROXY_INGRESS.module, HAPROXY_INGRESS.version)
      await buildAsReleased(module, 'pkg', join(into, 'haproxy-ingress'), say)
      await cp(join(module.directory, 'rootfs'), join(into, 'rootfs'), { recursive: true })
    },
  },
  (folder) => folder,
)

/**
 * The path of a program that says where Traefik would send a request, by Traefik's own provider of Ingresses. The whole
 * of Traefik does not build from its module: the Go proxy has not all that its certificates' DNS providers need.
 */
export const traefikRule = builtOnce<string>(
  {
    title: `Traefik's rule, ${TRAEFIK.version}`,
    key: `traefik-rule-${TRAEFIK.version}`,
    programs: ['traefik-rule'],
    takes: 'three minutes',
    async build(into, say) {
      const folder = join(into, 'module')
      await writeBuildModule([await downloadModule(TRAEFIK.module, TRAEFIK.version)], folder)
      await withoutExtensions(folder)
      await cp(join(import.meta.dirname, 'traefik-rule'), join(folder, 'rule'), { recursive: true })
      await buildCommands(folder, { commands: ['./rule'], output: join(into, 'traefik-rule') }, say)
      await rm(folder, { recursive: true, force: true })
    },
  },
  (folder) => join(folder, 'traefik-rule'),
)

/** A module of Traefik's for others' extensions is not published: here they are empty. */
async function withoutExtensions(folder: string): Promise<void> {
  const path = 'github.com/traefik/traefik/dynamic/ext'
  await mkdir(join(folder, 'ext'))
  await writeFile(join(folder, 'ext/go.mod'), `module ${path}\n`)
  await writeFile(join(folder, 'ext/ext.go'), 'package ext\n\ntype HTTP struct{}\n\ntype Router struct{}\n')
  const tencent = 'github.com/tencentcloud/tencentcloud-sdk-go v3.0.83+incompatible'
  await appendFile(join(folder, 'go.mod'), `replace ${path} => ./ext\nexclude ${tencent}\n`)
}

/** Builds a command of the module, which needs no change for that. */
async function buildAsReleased(
  module: GoModule,
  command: string,
  output: string,
  say: (line: string) => void,
): Promise<void> {
  const folder = `${output}-module`
  await writeBuildModule([module], folder)
  await buildCommands(folder, { commands: [`${module.path}/${command}`], output }, say)
  await rm(folder, { recursive: true, force: true })
}

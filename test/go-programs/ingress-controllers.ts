import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { builtOnce } from './built-once.ts'
import { buildCommands, downloadModule, writeBuildModule } from './go-module.ts'

interface Source {
  readonly title: string
  readonly name: string
  readonly module: string
  readonly version: string
  readonly takes: string
  /** What its build needs beside its module. */
  readonly prepare?: (folder: string) => Promise<void>
}

/** The path of Skipper, which reads EndpointSlices by itself. */
export const skipper = controllerOf({
  title: 'Skipper',
  name: 'skipper',
  module: 'github.com/zalando/skipper',
  version: 'v0.22.0',
  takes: 'three minutes',
})

/** The path of Traefik, which reads EndpointSlices by itself. Its dashboard is not in its module, and not in this program. */
export const traefik = controllerOf({
  title: 'Traefik',
  name: 'traefik',
  module: 'github.com/traefik/traefik/v3',
  version: 'v3.7.13',
  takes: 'ten minutes',
  prepare: withoutExtensions,
})

function controllerOf({ title, name, module, version, takes, prepare }: Source) {
  return builtOnce<string>(
    {
      title: `${title} ${version}`,
      key: `${name}-${version}`,
      programs: [name],
      takes,
      async build(into, say) {
        const folder = join(into, 'module')
        await mkdir(folder, { recursive: true })
        await writeBuildModule([await downloadModule(module, version)], folder)
        await prepare?.(folder)
        const commands = [`${module}/cmd/${name}`]
        await buildCommands(folder, { commands, output: join(into, name) }, say)
        await rm(folder, { recursive: true, force: true })
      },
    },
    (folder) => join(folder, name),
  )
}

/** A module of Traefik's for others' extensions is not published: here they are empty. */
async function withoutExtensions(folder: string): Promise<void> {
  const path = 'github.com/traefik/traefik/dynamic/ext'
  await mkdir(join(folder, 'ext'))
  await writeFile(join(folder, 'ext/go.mod'), `module ${path}\n`)
  await writeFile(join(folder, 'ext/ext.go'), 'package ext\n\ntype HTTP struct{}\n\ntype Router struct{}\n')
  const tencent = 'github.com/tencentcloud/tencentcloud-sdk-go v3.0.83+incompatible'
  await appendFile(join(folder, 'go.mod'), `replace ${path} => ./ext\nexclude ${tencent}\n`)
}

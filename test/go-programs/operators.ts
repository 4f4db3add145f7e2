import { cp, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { builtOnce } from './built-once.ts'
import { buildCommands, downloadModule, writeBuildModule } from './go-module.ts'

export interface Operator {
  /** The path of its program. */
  readonly operator: string
  /** The folder of its custom resource definitions. */
  readonly definitions: string
}

interface Source {
  readonly title: string
  readonly name: string
  readonly module: string
  readonly version: string
  /** The folder of its command in the module. */
  readonly command?: string
  /** The folder of its definitions there. */
  readonly definitions: string
}

export const rabbitmqOperator = operatorOf({
  title: "RabbitMQ's operator",
  name: 'rabbitmq-operator',
  module: 'github.com/rabbitmq/cluster-operator/v2',
  version: 'v2.16.0',
  definitions: 'config/crd/bases',
})

/** Elastic Cloud on Kubernetes. */
export const eckOperator = operatorOf({
  title: "ECK's operator",
  name: 'eck-operator',
  module: 'github.com/elastic/cloud-on-k8s/v3',
  version: 'v3.5.0',
  command: '/cmd',
  definitions: 'config/crds/v1/resources',
})

/** CloudNativePG. */
export const cnpgOperator = operatorOf({
  title: "CloudNativePG's operator",
  name: 'cnpg-operator',
  module: 'github.com/cloudnative-pg/cloudnative-pg',
  version: 'v1.27.0',
  command: '/cmd/manager',
  definitions: 'config/crd/bases',
})

/** Built from its Go module, with the definitions that are in it. */
function operatorOf({ title, name, module, version, command = '', definitions }: Source) {
  return builtOnce<Operator>(
    {
      title: `${title} ${version}`,
      key: `${name}-${version}`,
      programs: [name],
      beside: ['definitions'],
      takes: 'four minutes',
      async build(into, say) {
        const folder = join(into, 'module')
        await mkdir(folder, { recursive: true })
        const released = await downloadModule(module, version)
        await writeBuildModule([released], folder)
        await buildCommands(folder, { commands: [`${module}${command}`], output: join(into, name) }, say)
        await cp(join(released.directory, definitions), join(into, 'definitions'), { recursive: true })
        await rm(folder, { recursive: true, force: true })
      },
    },
    (folder) => ({ operator: join(folder, name), definitions: join(folder, 'definitions') }),
  )
}

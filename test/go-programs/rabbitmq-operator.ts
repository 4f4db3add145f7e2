import { cp, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { builtOnce } from './built-once.ts'
import { buildCommands, downloadModule, writeBuildModule } from './go-module.ts'

const MODULE = 'github.com/rabbitmq/cluster-operator/v2'
const VERSION = 'v2.16.0'

export interface RabbitmqOperator {
  /** The path of its program. */
  readonly operator: string
  /** The folder of its custom resource definitions. */
  readonly definitions: string
}

/** RabbitMQ's cluster operator. */
export const rabbitmqOperator = builtOnce<RabbitmqOperator>(
  {
    title: `RabbitMQ's operator ${VERSION}`,
    key: `rabbitmq-operator-${VERSION}`,
    programs: ['rabbitmq-operator'],
    beside: ['definitions'],
    takes: 'four minutes',
    build,
  },
  (folder) => ({ operator: join(folder, 'rabbitmq-operator'), definitions: join(folder, 'definitions') }),
)

async function build(into: string, say: (line: string) => void): Promise<void> {
  const folder = join(into, 'module')
  await mkdir(folder, { recursive: true })
  const module = await downloadModule(MODULE, VERSION)
  await writeBuildModule([module], folder)
  await buildCommands(folder, { commands: [MODULE], output: join(into, 'rabbitmq-operator') }, say)
  await cp(join(module.directory, 'config/crd/bases'), join(into, 'definitions'), { recursive: true })
  await rm(folder, { recursive: true, force: true })
}

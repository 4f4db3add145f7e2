import type { Scalar } from '../../domain/sleeping/condition.ts'
import { entry, key, list, orNull, readText, text } from './keys.ts'

/** The name of an annotation or a label. */
export const NAMES = {
  pattern: String.raw`^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?$`,
  maxLength: 317,
}
const PLACE = { pattern: String.raw`^\.(spec|status)(\.[A-Za-z][A-Za-z0-9]*)+$`, maxLength: 253 }
/** A path in the spec, as a CustomResourceDefinition has it. */
export const SPEC = { pattern: String.raw`^\.spec(\.[A-Za-z][A-Za-z0-9]*)+$`, maxLength: 253 }

const resource = readText(
  'configuredKind',
  'the full name of a custom resource, such as scheduledbackups.postgresql.cnpg.io',
  {
    maxLength: 253,
  },
)
const selectedBy = text("the path of the workload's name, such as .spec.cluster.name", SPEC)
const path = text('the path of a value, such as .spec.suspend', SPEC)
export const scalar = key<Scalar>('true, false, a number or a text', {
  type: ['boolean', 'number', 'string'],
  maxLength: 253,
})

/** Resources that are paused while a StatefulSet or Deployment sleeps that they own. */
export const OWNERS = list(
  entry({
    resource,
    pause: entry(
      {
        annotation: orNull(text('the name of an annotation', NAMES)),
        label: orNull(text('the name of a label', NAMES)),
        path: orNull(path),
        asleep: scalar,
      },
      ['annotation', 'label', 'path'],
    ),
  }),
  'a list of owners such as {resource: …, pause: {annotation: …, asleep: "false"}}',
  [],
)

/** Resources that are paused while a workload of the kind sleeps that they name. */
export const ALONG = orNull(
  list(
    entry({ resource, selectedBy, path, asleep: scalar }),
    'a list such as {resource: …, selectedBy: .spec.cluster.name, path: .spec.suspend, asleep: true}',
    [],
  ),
)

/** Resources that hold back the sleep of a workload of the kind that they name. */
export const NOT_WHILE = orNull(
  list(
    entry({
      resource,
      selectedBy,
      path: text('the path of a value, such as .status.phase', PLACE),
      in: list(scalar, 'a list of values such as [running, started]', [], 1),
    }),
    'a list such as {resource: …, selectedBy: .spec.cluster.name, path: .status.phase, in: [running]}',
    [],
  ),
)

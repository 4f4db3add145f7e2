import { stringify } from 'yaml'

/** A value as YAML. Imported late, since few commands print any: the package is CommonJS, which `import()` in a bundle has no names of. */
export function asYaml(value: object): string {
  return stringify(value)
}

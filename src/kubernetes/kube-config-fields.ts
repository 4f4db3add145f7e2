import { firstFault, type Fault, type Fields } from './fields.ts'

// As the fields of client-go's types (`k8s.io/client-go/tools/clientcmd/api/v1`); null is none, and others are ignored.
const text = { type: ['string', 'null'] }
const flag = { type: ['boolean', 'null'] }
const texts = { type: ['array', 'null'], items: { type: ['string'] } }
const mapping = (properties: Fields, required: readonly string[] = []) => ({
  type: ['object', 'null'],
  properties,
  required,
})
const listOf = (properties: Fields, required?: readonly string[]) => ({
  type: ['array', 'null'],
  items: { ...mapping(properties, required), type: ['object'] },
})

const cluster = mapping({
  server: text,
  'certificate-authority': text,
  'certificate-authority-data': text,
  'insecure-skip-tls-verify': flag,
  'tls-server-name': text,
  'proxy-url': text,
  extensions: listOf({ name: text }),
})
const user = mapping({
  'client-certificate': text,
  'client-certificate-data': text,
  'client-key': text,
  'client-key-data': text,
  token: text,
  tokenFile: text,
  username: text,
  password: text,
  as: text,
  'as-uid': text,
  'as-groups': texts,
  'as-user-extra': { type: ['object', 'null'], additionalProperties: texts },
  exec: mapping({
    apiVersion: text,
    command: text,
    args: texts,
    env: listOf({ name: { type: ['string'] }, value: { type: ['string'] } }, ['name', 'value']),
    installHint: text,
    interactiveMode: text,
    provideClusterInfo: flag,
  }),
  'auth-provider': mapping({ name: { type: ['string'] }, config: { type: ['object', 'null'] } }, ['name']),
})
const context = mapping({ cluster: text, user: text, namespace: text })
const name = { type: ['string'], minLength: 1 }

const KUBE_CONFIG = {
  type: ['object', 'null'],
  properties: {
    kind: text,
    'current-context': text,
    clusters: listOf({ name, cluster }, ['name']),
    users: listOf({ name, user }, ['name']),
    contexts: listOf({ name, context }, ['name']),
  },
}

/** What is wrong with the first field that is not of its type, without its value; undefined: all are. */
export function faultOfFields(config: unknown): string | undefined {
  const fault = firstFault(KUBE_CONFIG, config)
  return fault && faultOf(fault)
}

/** `users[0]: token is a number: put it in quotes` */
function faultOf({ path: at, keyword, expected, missing, data }: Fault): string {
  const [list, index, ...path] = at
  const entry = index === undefined ? '' : `${list}[${index}]`
  if (keyword === 'required') return `${[entry, ...path].join('.')}.${missing} is missing`
  // As its entry names it: `users: [{ name, user: { token } }]`.
  const field = path.length > 1 ? path.slice(1).join('.') : (path[0] ?? list)
  const place = path.length === 0 ? entry || list : `${entry}: ${field}`
  if (keyword === 'minLength' || (path.length === 0 && data === null)) return `${entry}.name is missing`
  if (expected === 'string' && ['number', 'boolean'].includes(typeof data))
    return `${place} is a ${typeof data}: put it in quotes`
  return `${place} is not ${TYPES[expected] ?? expected}`
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
}

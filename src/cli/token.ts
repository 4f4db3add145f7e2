import { Option, type Command } from 'commander'
import { readText } from '../process/named-file.ts'
import { MAX_TTL, signToken, type Scope } from '../service/auth/local-token.ts'
import { duration, list, name } from './options.ts'
import { UsageError } from '../process/errors.ts'
import type { CliPorts } from './program.ts'

interface TokenOptions {
  readonly key: string
  readonly subject: string
  readonly issuer: string
  readonly audience: string
  readonly scope: Scope[]
  readonly namespaces: string[]
  readonly ttl: number
}

/** `dormouse token`: prints a token that the API accepts by `auth.local`. */
export function registerToken(program: Command, { stdout, clock }: Pick<CliPorts, 'stdout' | 'clock'>): void {
  program
    .command('token')
    .description(
      'Issue a token for the API, signed by a private key whose public key the service has (auth.local)',
    )
    .requiredOption('--key <file>', 'private key in PEM; to make one: dormouse key-pair <directory>')
    .requiredOption('--subject <name>', 'who uses the token: the name that history and log show', name)
    .requiredOption(
      '--namespaces <a,b>',
      "namespaces it may be used for; '*' for all",
      list(/^(?:\*|[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?)$/, "names of namespaces, comma-separated, or '*'"),
    )
    .option('--issuer <name>', 'as in auth.local.issuer', name, 'dormouse')
    .option('--audience <name>', 'as in auth.local.audience', name, 'dormouse')
    .option(
      '--scope <scopes>',
      'dormouse:read, dormouse:write or both, comma-separated',
      list(/^dormouse:(?:read|write)$/, 'dormouse:read, dormouse:write or both, comma-separated'),
      ['dormouse:read'],
    )
    .addOption(
      new Option('--ttl <duration>', 'how long it is valid, at most 24h')
        .argParser(duration(1000, MAX_TTL))
        .default(3_600_000, '1h'),
    )
    .action(async ({ key, scope, ...claims }: TokenOptions) => {
      const privateKey = await readText('--key', key)
      stdout.write(`${await issue({ ...claims, privateKey, scopes: scope }, key)}\n`)
    })

  async function issue(request: Parameters<typeof signToken>[0], file: string): Promise<string> {
    try {
      return await signToken(request, clock())
    } catch (error) {
      if (error instanceof TypeError)
        throw new UsageError(`--key ${file}: ${error.message}`, { cause: error })
      throw error
    }
  }
}

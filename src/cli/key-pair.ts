import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Option, type Command } from 'commander'
import { newKeyPair } from '../service/auth/local-token.ts'
import { UsageError } from '../process/errors.ts'
import type { CliPorts } from './program.ts'

/** `dormouse key-pair`: makes the keys that `dormouse token` and `auth.local` need. Never overwrites a file. */
export function registerKeyPair(program: Command, { stdout }: Pick<CliPorts, 'stdout'>): void {
  program
    .command('key-pair')
    .description('Make a key pair for tokens: private.pem for `dormouse token`, public.pem for the service')
    .argument('<directory>', 'where to write them; created if missing')
    .addOption(
      new Option('--algorithm <name>', 'signature algorithm').choices(['EdDSA', 'ES256']).default('EdDSA'),
    )
    .action(async (directory: string, { algorithm }: { algorithm: 'EdDSA' | 'ES256' }) => {
      const files = { private: join(directory, 'private.pem'), public: join(directory, 'public.pem') }
      const pair = newKeyPair(algorithm)
      await makeDirectory(directory)
      await writeNew(files.public, pair.publicKey, 0o644)
      try {
        await writeNew(files.private, pair.privateKey, 0o600)
      } catch (error) {
        await rm(files.public, { force: true })
        throw error
      }
      stdout.write(`${files.private}: keep it secret; dormouse token --key ${files.private} …\n`)
      stdout.write(`${files.public}: give it to the service as auth.local.publicKeyFile\n`)
    })
}

async function makeDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    throw new UsageError(`${directory}: cannot be made (${code})`, { cause: error })
  }
}

async function writeNew(file: string, text: string, mode: number): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx', mode })
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    const why =
      code === 'EEXIST' ? 'is there already: choose another directory' : `cannot be written (${code})`
    throw new UsageError(`${file} ${why}`, { cause: error })
  }
}

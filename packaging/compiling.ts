import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Script } from 'node:vm'

// `node packaging/compiling.ts <client> <compiled> <command> …`: runs the client, and keeps in a file what was compiled of it; '': nowhere.
const [client = '', compiled = '', ...command] = process.argv.slice(2)
const known = existsSync(compiled) ? { cachedData: readFileSync(compiled) } : {}
const script = new Script(readFileSync(client, 'latin1'), { filename: 'kubectl-dormouse.cjs', ...known })
process.argv = [process.execPath, '/kubectl-dormouse', ...command]
process.on('exit', (code) => {
  if (code === 0 && compiled !== '') writeFileSync(compiled, script.createCachedData())
})
const start = script.runInThisContext() as (require: NodeJS.Require) => void
start(createRequire(import.meta.url))

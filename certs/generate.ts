import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { issueCa, issueLeaf } from '../src/service/certificates/issue.ts'

const DAY_MS = 86_400_000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    directory: { type: 'string', default: import.meta.dirname },
    days: { type: 'string', default: '30' },
  },
})
const names = positionals.length > 0 ? positionals : ['localhost', '127.0.0.1', '::1']
const days = Number(values.days)
if (!(days > 0 && days <= 365)) throw new RangeError(`--days ${values.days} is not a number from 1 to 365`)

const now = Date.now()
const ca = await issueCa(now, days * DAY_MS)
const leaf = await issueLeaf(ca, names, now, days * DAY_MS)
await mkdir(values.directory, { recursive: true })
// The CA's key is not written: each run makes a new CA.
const files = [
  ['ca.crt', ca.cert],
  ['tls.crt', leaf.cert],
  ['tls.key', leaf.key],
] as const
for (const [name, text] of files) await writeFile(join(values.directory, name), text, { mode: 0o600 })
process.stdout.write(`${values.directory}: ca.crt, tls.crt, tls.key for ${names.join(', ')}, ${days} days\n`)

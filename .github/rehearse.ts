import { join } from 'node:path'
import { listed, rehearse } from './rehearsal/rehearsal.ts'
import { World } from './rehearsal/world.ts'

/**
 * `node .github/rehearse.ts v1.2.3-rc.1` runs every step of the release workflow that needs no network, in its order, as a
 * push of this tag would; stand-ins take the place of registry, npm and GitHub. Says at the end what would be published.
 * HELM, a variable, is the path of a real Helm, which then packs and renders the chart. Some five minutes.
 */
const [tag = ''] = process.argv.slice(2)
const say = (line: string) => void process.stdout.write(`${line}\n`)
const { HELM } = process.env
const world = await World.make(HELM === undefined ? {} : { helm: HELM })
try {
  const { ran, leftOut } = await rehearse({ world, file: 'release.yaml', tag, say })
  say(`\n${ran.length} steps ran, ${leftOut.length} were left out. This would be published:`)
  for (const place of ['registry', 'release', 'npm'])
    for (const file of await listed(join(world.state, place))) say(`  ${place}: ${file}`)
  for (const call of await world.calls()) if (/^(?:npm publish|gh release)/.test(call)) say(`  ${call}`)
} finally {
  await world.remove()
}

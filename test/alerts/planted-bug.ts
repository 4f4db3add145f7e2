import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

/** Deciding on a workload of this name throws: a bug planted into the running program. */
const NAME = 'planted-bug'
const DECIDE = 'export function decide('

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!url.endsWith('/src/domain/deciding/decide.ts')) return loaded
    const source = readFileSync(new URL(url), 'utf8')
    if (!source.includes(DECIDE)) throw new Error(`there is no ${DECIDE} in ${url} any more`)
    const planted = `export function decide(...args: any): any {
      if (args[0].workload.name === '${NAME}') throw new TypeError('a planted bug')
      return decided(...args)
    }
    function decided(`
    return { ...loaded, source: source.replace(DECIDE, planted) }
  },
})

import type { Plugin } from 'esbuild'
import { pageSources } from '../src/console/sources.ts'

/** Puts the console's page, ready to be served, in place of the code that makes it of the sources: no file lies beside an executable. */
export const consolePage: Plugin = {
  name: 'console-page',
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/]console[\\/]sources\.ts$/ }, async () => {
      const files = JSON.stringify([...(await pageSources())])
      return { contents: `export const pageSources=async()=>new Map(${files})`, loader: 'js' }
    })
  },
}

/** The packages that are in it, by their folders, whose licences go with it. */
export const PAGE_PACKAGES = ['node_modules/htm', 'node_modules/preact'] as const

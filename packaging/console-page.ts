import type { Plugin } from 'esbuild'
import { pageSources } from '../src/console/sources.ts'

/**
 * Replaces the code that builds the console's page from its sources by the built page: no file lies beside an
 * executable.
 */
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

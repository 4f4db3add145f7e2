import { constants } from 'node:fs'
import { join } from 'node:path'
import type { Need } from '../suite/need.ts'
import { filled, isThere, madeOnce, sharedCache } from './cache.ts'

/** A program of a released Go module, in a folder of the cache. */
interface Wanted {
  /** As people name it, with its version. */
  readonly title: string
  /** The folder's name. */
  readonly key: string
  /** The programs, and the folder's other files. */
  readonly programs: readonly string[]
  readonly beside?: readonly string[]
  /** The build's duration on two cores, for people. */
  readonly takes: string
  readonly quick?: boolean
  /** Fills the folder. */
  build(into: string, say: (line: string) => void): Promise<void>
}

/** A need of what is in that folder, which `go` fills once; `found` makes what suites get of its path. */
export function builtOnce<Found>(wanted: Wanted, found: (folder: string) => Found): Need<Found> {
  const { title, programs, beside = [], takes, quick = false } = wanted
  const folder = sharedCache(wanted.key)
  const find = () =>
    programs.every((name) => isThere(join(folder, name), constants.X_OK)) &&
    beside.every((name) => isThere(join(folder, name)))
      ? found(folder)
      : undefined
  return {
    phrase: `with ${title}`,
    quick,
    gotten: `built with Go in ${takes} on two cores`,
    find,
    async provide(say) {
      await madeOnce(folder, say, find, async () => {
        say(`building ${title} into ${folder} (once; ${takes} on two cores)`)
        await filled(folder, (fresh) => wanted.build(fresh, say))
        return found(folder)
      })
    },
  }
}

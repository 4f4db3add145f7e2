import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BASE, baseArchive } from '../../test/image/base.ts'
import { build } from '../../test/image/build.ts'
import { entriesOf } from '../../test/image/contents.ts'
import { imageTools } from '../../test/image/programs.ts'
import { ImageStore } from '../../test/image/store.ts'
import type { Measured } from '../report/row.ts'
import type { Context, Found, Scenario } from '../scenario.ts'

export const image: Scenario = {
  name: 'image',
  about: 'what the image adds to its base',
  minutes: 1,
  async run({ say }: Context): Promise<Found> {
    const row = { what: 'files on top of the base', unit: 'MB', bar: { of: 'figure', atMost: 40 } } as const
    if (!imageTools.find())
      return { rows: [{ ...row, figure: Number.NaN, note: `needs: ${imageTools.gotten}` }] }
    say('the image is built')
    return { rows: [{ ...row, ...(await measured()) }] }
  },
}

async function measured(): Promise<Pick<Measured, 'figure'>> {
  const folder = await mkdtemp(join(tmpdir(), 'dormouse-image-'))
  const store = new ImageStore(join(folder, 'store'))
  try {
    await store.load(await baseArchive(), BASE)
    await build(store, folder, 'localhost/dormouse')
    const files = await entriesOf(await store.unpack('localhost/dormouse'), 'app')
    return { figure: files.reduce((sum, { isFile, size }) => sum + (isFile ? size : 0), 0) / 1e6 }
  } finally {
    await store.remove()
    await rm(folder, { recursive: true, force: true })
  }
}

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Metafile, PartialMessage, Plugin } from 'esbuild'

/**
 * Fails a build whose sources import a CommonJS module late, by `import()`: split off into a file of its own such a
 * module has a default export alone, so the names that Node finds in it are undefined in what is built.
 */
export const refuseLateCommonJs: Plugin = {
  name: 'late-imports',
  setup(build) {
    const folder = build.initialOptions.absWorkingDir ?? process.cwd()
    build.initialOptions.metafile = true
    build.onEnd(async ({ metafile }) => ({
      errors: metafile ? await Promise.all(lateCommonJs(metafile).map((each) => faultOf(each, folder))) : [],
    }))
  },
}

/** An `import()` of ours: the file that has it, by its path from the project, and what it names. */
interface LateImport {
  readonly file: string
  readonly specifier: string
}

function lateCommonJs({ inputs }: Metafile): LateImport[] {
  return Object.entries(inputs)
    .filter(([file]) => !/(?:^|\/)node_modules\//.test(file))
    .flatMap(([file, { imports }]) =>
      imports
        .filter(({ kind, path }) => kind === 'dynamic-import' && inputs[path]?.format === 'cjs')
        .map(({ original, path }) => ({ file, specifier: original ?? path })),
    )
}

async function faultOf({ file, specifier }: LateImport, folder: string): Promise<PartialMessage> {
  const text = await readFile(join(folder, file), 'utf8')
  const quoted = specifier.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  const before = text.slice(
    0,
    Math.max(0, text.search(new RegExp(String.raw`\bimport\(\s*['"]${quoted}['"]`))),
  )
  const line = before.split('\n').length
  return {
    text: `import('${specifier}') of a CommonJS module: built, it has none of its names. Import it statically in a small file of ours, and import that file late`,
    location: {
      file,
      line,
      column: before.length - (before.lastIndexOf('\n') + 1),
      lineText: text.split('\n')[line - 1] ?? '',
    },
  }
}

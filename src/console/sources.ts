import { readdir, readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'

/** The sources in a checkout; in the image's bundle (build.ts) the output of `pageSources`. */
const PAGE = new URL('./page/', import.meta.url)
const SOURCES = new URL('../', import.meta.url)

/** The page's imports of packages, by name. */
const PACKAGES: Readonly<Record<string, string>> = {
  preact: 'preact.js',
  'preact/hooks': 'preact-hooks.js',
  htm: 'htm.js',
}

/** The page's files as text, by their names: TypeScript without its types, and imports by paths, since a page knows no packages. */
export async function pageSources(): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(PAGE)).filter((name) => /\.(?:html|css|svg|js|ts)$/.test(name))
  const files = new Map<string, string>()
  const scripts = names.filter((name) => name.endsWith('.ts')).map((name) => new URL(name, PAGE))
  for (const name of names) {
    if (name.endsWith('.ts')) continue
    const text = await readFile(new URL(name, PAGE), 'utf8')
    files.set(name, name.endsWith('.css') ? slimStyles(slim(text)) : slim(text))
  }
  // With what they import of other rooms, and so on.
  for (const url of scripts) {
    if (files.has(nameOf(url))) continue
    const { code, imported } = linked(stripped(await readFile(url, 'utf8')), url)
    files.set(nameOf(url), slim(code))
    scripts.push(...imported)
  }
  for (const [specifier, name] of Object.entries(PACKAGES)) {
    if (files.has(name)) continue
    const text = await readFile(new URL(import.meta.resolve(specifier)), 'utf8')
    files.set(name, linked(text.replace(/\n?\/\/# sourceMappingURL=.*\s*$/, '\n')).code)
  }
  return files
}

/** All files of the page lie side by side: `words-state.js` is `src/words/state.ts`. */
function nameOf({ href }: URL): string {
  const path = href.startsWith(PAGE.href) ? href.slice(PAGE.href.length) : href.slice(SOURCES.href.length)
  return path.replaceAll('/', '-').replace(/ts$/, 'js')
}

/** Hides Node's warning that this is experimental; it would not help the person who opens the console. */
function stripped(text: string): string {
  const warning = process as { emitWarning: unknown }
  const { emitWarning } = warning
  warning.emitWarning = () => undefined
  try {
    return stripTypeScriptTypes(text)
  } finally {
    warning.emitWarning = emitWarning
  }
}

/** Without comments that have lines of their own, and without indentation: a third less. In templates and styles both mean nothing. */
function slim(text: string): string {
  return (
    text
      .replaceAll(/^[ \t]*\/\*\*[^]*?\*\/[ \t]*\n/gm, '')
      .replaceAll(/^[ \t]*\/\/.*\n/gm, '')
      .replaceAll(/^[ \t]+|[ \t]+$/gm, '')
      .replaceAll(/\n{2,}/g, '\n')
      // Removes the spaces of stripped types.
      .replaceAll(/ {2,}/g, ' ')
  )
}

function slimStyles(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/ ?([{};,]) ?/g, '$1')
}

/** The code with the page's paths in place of packages and sources; `imported`: the sources, from `url` on. */
function linked(code: string, url?: URL): { code: string; imported: URL[] } {
  const imported: URL[] = []
  const paths = code.replaceAll(/\bfrom\s*(["'])([^"'\n]+)\1/g, (all, _quote, specifier: string) => {
    const name = PACKAGES[specifier]
    if (name !== undefined) return `from "./${name}"`
    if (!url || !specifier.startsWith('.')) return all
    const source = new URL(specifier, url)
    imported.push(source)
    return `from "./${nameOf(source)}"`
  })
  return { code: paths, imported }
}

import { readdir, readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'

/** The sources in a checkout; in the image's bundle (build.ts) the output of `pageSources`. */
const PAGE = new URL('./page/', import.meta.url)

/** The page's imports of packages, by name. */
const PACKAGES: Readonly<Record<string, string>> = {
  preact: 'preact.js',
  'preact/hooks': 'preact-hooks.js',
  htm: 'htm.js',
}

/** The files of the domain that the page loads as they are: what they import, it loads, too. */
const OF_DOMAIN = ['records/replica-time', 'workload/author'] as const

/** The page's files as text, by their names: TypeScript without its types, and imports by paths, since a page knows no packages. */
export async function pageSources(): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(PAGE)).filter((name) => /\.(?:html|css|svg|js|ts)$/.test(name))
  const files = new Map<string, string>()
  for (const name of names) {
    const text = await readFile(new URL(name, PAGE), 'utf8')
    if (name.endsWith('.ts')) files.set(name.replace(/ts$/, 'js'), script(text))
    else files.set(name, name.endsWith('.css') ? slimStyles(slim(text)) : slim(text))
  }
  for (const [specifier, name] of Object.entries(PACKAGES)) {
    if (files.has(name)) continue
    const text = await readFile(new URL(import.meta.resolve(specifier)), 'utf8')
    files.set(name, withPaths(text.replace(/\n?\/\/# sourceMappingURL=.*\s*$/, '\n')))
  }
  for (const path of OF_DOMAIN) {
    const name = nameOf(path)
    if (!files.has(name))
      files.set(name, script(await readFile(new URL(`../domain/${path}.ts`, import.meta.url), 'utf8')))
  }
  return files
}

/** All files of the page lie side by side. */
function nameOf(path: string): string {
  return `domain-${path.replaceAll('/', '-')}.js`
}

function script(text: string): string {
  return slim(withPaths(stripped(text)))
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

function withPaths(code: string): string {
  return code.replaceAll(/\bfrom\s*(["'])([^"'\n]+)\1/g, (all, _quote, specifier: string) => {
    const name = PACKAGES[specifier]
    if (name !== undefined) return `from "./${name}"`
    const path = OF_DOMAIN.find((each) => specifier === `../../domain/${each}.ts`)
    if (path !== undefined) return `from "./${nameOf(path)}"`
    return specifier.startsWith('./') ? `from "${specifier.replace(/\.ts$/, '.js')}"` : all
  })
}

import { readFileSync, writeFileSync } from 'node:fs'

/** The places of the version beside the changelog: the file, and the text around it, which stands there once. */
const NAMED: readonly { readonly path: string; readonly key: string; readonly around: RegExp }[] = [
  { path: 'package.json', key: 'version', around: /^(  "version": ")([^"]+)/m },
  { path: 'package-lock.json', key: 'version', around: /^(  "version": ")([^"]+)/m },
  {
    path: 'package-lock.json',
    key: 'packages[""].version',
    around: /^(    "": \{\n(?:      .*\n)*?      "version": ")([^"]+)/m,
  },
  { path: 'charts/dormouse/Chart.yaml', key: 'version', around: /^(version: *["']?)([^\s"'#]+)/m },
  { path: 'charts/dormouse/Chart.yaml', key: 'appVersion', around: /^(appVersion: *["']?)([^\s"'#]+)/m },
  {
    path: 'charts/dormouse/tests/deployment_test.yaml',
    key: 'image',
    around: /(ghcr\.io\/dormouse-dev\/dormouse:)([\w.-]+)/,
  },
  { path: 'docs/many-clusters.md', key: 'targetRevision', around: /^( *targetRevision: *)(\S+)/m },
]

/** The files that name the version, or tell of it. */
export const FILES: readonly string[] = [...new Set(NAMED.map(({ path }) => path)), 'CHANGELOG.md']

/** The text of each of FILES. */
export type Sources = Readonly<Record<string, string>>

/** A release's notes, or everything that does not agree with its tag. */
export type Release = { readonly notes: string } | { readonly faults: readonly string[] }

/** Whether all that names a version names that of `tag` (`v1.2.3`), and what the changelog says of it. */
export function releaseOf(tag: string, sources: Sources): Release {
  const version = tag.replace(/^v/, '')
  const faults = NAMED.flatMap(({ path, key, around }) => {
    const found = around.exec(sources[path] ?? '')?.[2]
    return found === version
      ? []
      : `${path}: ${key} is ${found ?? 'missing'}, and the tag ${tag} says ${version}`
  })
  if (!/^v\d+\.\d+\.\d+(-[\w.]+)?$/.test(tag)) faults.push(`the tag ${tag} is not like v1.2.3 or v1.2.3-rc.1`)
  const notes = notesOf(version, sources['CHANGELOG.md'] ?? '')
  if (!notes) faults.push(`CHANGELOG.md has nothing under a heading "## [${version}]"`)
  return faults.length === 0 && notes ? { notes } : { faults }
}

/**
 * The files as they have to be for `version`, of the day `date` (`2026-01-31`). What the changelog has under Unreleased
 * goes under its heading; for a rehearsal, `1.2.3-rc.1`, it stays there as well.
 */
export function withVersion(version: string, date: string, sources: Sources): Record<string, string> {
  const texts: Record<string, string> = { ...sources }
  for (const { path, around } of NAMED) {
    const text = texts[path] ?? ''
    if (!around.test(text)) throw new Error(`${path} names no version`)
    texts[path] = text.replace(around, `$1${version}`)
  }
  const changelog = texts['CHANGELOG.md'] ?? ''
  if (notesOf(version, changelog) !== undefined) return texts
  const unreleased = notesOf('Unreleased', changelog)
  if (!unreleased) throw new Error('CHANGELOG.md has nothing under "## [Unreleased]"')
  const heading = `## [${version}] - ${date}`
  const stays = version.includes('-') ? `${unreleased}\n\n` : ''
  texts['CHANGELOG.md'] = changelog.replace(
    /^## \[Unreleased\].*\n\s*/m,
    () => `## [Unreleased]\n\n${stays}${heading}\n\n`,
  )
  return texts
}

/** The text between the heading of `version` and the next of its rank; undefined when there is none. */
function notesOf(version: string, changelog: string): string | undefined {
  const section = changelog.split(/^## /m).find((section) => section.startsWith(`[${version}]`))
  return section?.split('\n').slice(1).join('\n').trim() || undefined
}

function tell(release: Release): void {
  if ('notes' in release) process.stdout.write(`${release.notes}\n`)
  else {
    process.stderr.write(`${release.faults.join('\n')}\n`)
    process.exitCode = 1
  }
}

/**
 * `node .github/release.ts v1.2.3`: the notes of this release; ends with 1 where something does not agree.
 * `node .github/release.ts set 1.2.3`: writes this version wherever one is named, and its heading into the changelog.
 */
if (import.meta.main) {
  const at = (path: string) => new URL(`../${path}`, import.meta.url)
  const sources = Object.fromEntries(FILES.map((path) => [path, readFileSync(at(path), 'utf8')]))
  const [first = '', version = ''] = process.argv.slice(2)
  if (first === 'set') {
    const texts = withVersion(version, new Date().toISOString().slice(0, 10), sources)
    const release = releaseOf(`v${version}`, texts)
    if ('notes' in release) for (const [path, text] of Object.entries(texts)) writeFileSync(at(path), text)
    tell(release)
  } else {
    tell(releaseOf(first, sources))
  }
}

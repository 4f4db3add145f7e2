import { readFileSync } from 'node:fs'

/** The files that name the version, as text. */
export interface Sources {
  readonly packageJson: string
  readonly chart: string
  readonly changelog: string
}

/** What a release is told by: its notes, or everything that does not agree with its tag. */
export type Release = { readonly notes: string } | { readonly faults: readonly string[] }

/** Whether all that names a version names that of `tag` (`v1.2.3`), and what the changelog says of it. */
export function releaseOf(tag: string, { packageJson, chart, changelog }: Sources): Release {
  const version = tag.replace(/^v/, '')
  const named = {
    'package.json: version': (JSON.parse(packageJson) as { version: string }).version,
    'charts/dormouse/Chart.yaml: version': keyOf(chart, 'version'),
    'charts/dormouse/Chart.yaml: appVersion': keyOf(chart, 'appVersion'),
  }
  const faults = Object.entries(named)
    .filter(([, found]) => found !== version)
    .map(([where, found]) => `${where} is ${found ?? 'missing'}, and the tag ${tag} says ${version}`)
  if (!/^v\d+\.\d+\.\d+(-[\w.]+)?$/.test(tag)) faults.push(`the tag ${tag} is not like v1.2.3 or v1.2.3-rc.1`)
  const notes = notesOf(version, changelog)
  if (!notes) faults.push(`CHANGELOG.md has nothing under a heading "## [${version}]"`)
  return faults.length === 0 && notes ? { notes } : { faults }
}

/** A key at the top of a YAML document whose value is on its line. */
function keyOf(document: string, key: string): string | undefined {
  const line = document.split('\n').find((line) => line.startsWith(`${key}:`))
  return line
    ?.slice(key.length + 1)
    .replace(/\s#.*$/, '')
    .trim()
    .replaceAll(/^(['"])(.*)\1$/g, '$2')
}

/** What stands between the heading of `version` and the next of its rank; undefined when there is nothing. */
function notesOf(version: string, changelog: string): string | undefined {
  const section = changelog.split(/^## /m).find((section) => section.startsWith(`[${version}]`))
  return section?.split('\n').slice(1).join('\n').trim() || undefined
}

if (import.meta.main) {
  const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
  const release = releaseOf(process.argv[2] ?? '', {
    packageJson: read('package.json'),
    chart: read('charts/dormouse/Chart.yaml'),
    changelog: read('CHANGELOG.md'),
  })
  if ('notes' in release) process.stdout.write(`${release.notes}\n`)
  else {
    process.stderr.write(`${release.faults.join('\n')}\n`)
    process.exitCode = 1
  }
}

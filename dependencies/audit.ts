import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { PROJECT } from './lock.ts'

/** What `npm audit --json` prints: what it found, or why it could not ask. */
interface Report {
  readonly message?: string
  readonly vulnerabilities?: Readonly<Record<string, Vulnerable>>
}

interface Vulnerable {
  readonly name: string
  readonly severity: string
  /** Advisories, and the names of packages through which it has others. */
  readonly via: readonly (string | { readonly title: string; readonly url: string; readonly range: string })[]
}

/** What is told, and the exit code: 1 for a finding, 2 where nothing was checked. */
interface Verdict {
  readonly told: readonly string[]
  readonly code: 0 | 1 | 2
}

/** Lower ones are told, and fail nothing. */
const FAILING: ReadonlySet<string> = new Set(['moderate', 'high', 'critical'])

/** What a report (its JSON) says of the packages of production. */
export function verdictOf(report: string): Verdict {
  const { message, vulnerabilities } = parsed(report)
  if (!vulnerabilities) {
    const why = message ?? 'npm audit printed no report'
    return { told: [`nothing was checked, the registry's advisories cannot be had: ${why}`], code: 2 }
  }
  const found = Object.values(vulnerabilities)
  if (found.length === 0) return { told: ['no known vulnerability in a package of production'], code: 0 }
  return { told: found.flatMap(lines), code: found.some(({ severity }) => FAILING.has(severity)) ? 1 : 0 }
}

function lines({ name, severity, via }: Vulnerable): string[] {
  return via.map((each) =>
    typeof each === 'string'
      ? `${severity}: ${name}, through ${each}`
      : `${severity}: ${name} ${each.range}: ${each.title} (${each.url})`,
  )
}

function parsed(report: string): Report {
  try {
    return JSON.parse(report) as Report
  } catch {
    return {}
  }
}

/** `npm run audit`: asks the registry of npm's configuration, and nobody else. */
if (import.meta.main) {
  // npm's own exit code is 1 for both.
  const npm = spawn('npm', ['audit', '--omit=dev', '--json', '--no-update-notifier'], {
    cwd: PROJECT,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const { told, code } = verdictOf(await text(npm.stdout))
  for (const line of told) process[code === 0 ? 'stdout' : 'stderr'].write(`${line}\n`)
  process.exitCode = code
}

import { createHash } from 'node:crypto'
import { pageSources } from './sources.ts'

/** A file of the page, as it is sent. */
export interface PageFile {
  readonly type: string
  readonly body: Buffer
  readonly etag: string
}

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

/** The files by their names, `index.html` among them: it tells the page what `told` has, such as where a proxy's sign-out is. */
export async function pageFiles(
  told: Readonly<Record<string, string | undefined>> = {},
): Promise<ReadonlyMap<string, PageFile>> {
  const files = new Map<string, PageFile>()
  for (const [name, text] of await pageSources()) {
    const body = Buffer.from(name === 'index.html' ? telling(text, told) : text)
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
    files.set(name, { type: TYPES[name.split('.').at(-1) ?? ''] ?? 'text/plain', body, etag })
  }
  return files
}

function telling(page: string, told: Readonly<Record<string, string | undefined>>): string {
  const lines = Object.entries(told).flatMap(([name, value]) => {
    if (value === undefined) return []
    const content = value.replaceAll(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`)
    return [`\n<meta name="${name}" content="${content}" />`]
  })
  return page.replace('</title>', () => `</title>${lines.join('')}`)
}

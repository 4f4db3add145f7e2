import { createHash } from 'node:crypto'
import type { Language } from './language.ts'
import { wakePage, type PageData } from './script.ts'
import type { Part, PageStatus } from './status.ts'
import { STYLE } from './style.ts'

/** Without indentation and lines of comment: they are a third of it. */
const SCRIPT = `(${wakePage.toString()})()`
  .replaceAll(/^\s+(?:\/\/.*\n|\/\*\*.*\*\/\n)?/gm, '')
  .replaceAll(/ {2,}/g, ' ')

/** As the console's, but that the page has its script and sheet in itself, and that pages of the same site may frame it. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `script-src '${hashOf(SCRIPT)}'`,
  `style-src '${hashOf(STYLE)}'`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const MOON =
  '<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#4f46b8"/><path d="M21.5 19.6A8.5 8.5 0 0 1 12.2 8.2a8.6 8.6 0 1 0 11.6 10.9 8.4 8.4 0 0 1-2.3.5z" fill="#fff"/></svg>'

/** The whole page in one file of HTML. It says without scripts what it can; with them it wakes. */
export function pageHtml(data: PageData, { tag, direction, texts }: Language): string {
  const { status, posted } = data
  const html = (parts: readonly Part[]) => htmlOf(parts, tag)
  const paragraphs = (lines: PageStatus['lines']) => lines.map((line) => `<p>${html(line)}</p>`).join('')
  const place = texts.place.split(/\{(service|namespace)\}/).map((piece): Part => {
    if (piece === 'service') return ['bdi', status.service]
    return piece === 'namespace' ? ['bdi', status.namespace] : piece
  })
  // Nothing that scripts could do; else the script takes the sentence away.
  const isOver = status.state === 'held' || status.state === 'off'
  const title = status.headline.map((part) => (typeof part === 'string' ? part : part[1])).join('')
  // Nothing in it ends the element that holds it.
  const json = JSON.stringify(data).replaceAll('<', String.raw`\u003c`)
  return `<!doctype html>
<html lang="${escaped(tag)}" dir="${direction}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
<main id="main" tabindex="-1">
${MOON}
<p class="place">${html(place)}</p>
<div role="status" aria-atomic="true">
<h1 id="headline">${html(status.headline)}</h1>
<div id="lines">${paragraphs(status.lines)}</div>
</div>
<div id="bar" role="progressbar" aria-labelledby="headline" aria-valuemin="0" aria-valuemax="100" hidden><div id="filling"></div></div>
<button id="wake" type="button" hidden>${escaped(texts.button)}</button>
${posted ? `<p class="trouble">${escaped(texts.formLost)}</p>` : ''}
<p id="needs" class="trouble"${isOver ? ' hidden' : ''}>${escaped(texts.needsScripts)}</p>
<p id="offline" class="trouble" role="alert" hidden>${escaped(texts.offline)}</p>
<p id="stuck" class="trouble" role="alert" hidden>${escaped(texts.stuck)}</p>
<button id="again" type="button" hidden>${escaped(texts.again)}</button>
<div id="details">${paragraphs(status.details)}</div>
</main>
<script type="application/json" id="data">${json}</script>
<script>${SCRIPT}</script>
`
}

function htmlOf(parts: readonly Part[], tag: string): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return escaped(part)
      const [element, text] = part
      if (element !== 'time') return `<${element}>${escaped(text)}</${element}>`
      return `<time datetime="${escaped(text)}">${escaped(inUtc(text, tag))}</time>`
    })
    .join('')
}

/** Servers do not know the reader's zone: the script shows it in that. */
function inUtc(time: string, tag: string): string {
  const fields = {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  } as const
  const format = new Intl.DateTimeFormat(tag === 'en' ? 'en-GB' : tag, {
    ...fields,
    timeZone: 'UTC',
    timeZoneName: 'short',
  })
  return format.format(new Date(time))
}

function escaped(text: string): string {
  return text.replaceAll(/[&"'<>]/g, (character) => `&#${character.charCodeAt(0)};`)
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

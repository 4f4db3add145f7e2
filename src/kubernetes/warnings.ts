import type { HttpResponse } from './exchange.ts'

/** A quoted string of RFC 9110, section 5.6.4. */
const WARNING = /\b299 \S+ "((?:[^"\\]|\\.)*)"/g

/** The texts of an answer's `Warning` headers with code 299 (RFC 7234, section 5.5): admission webhooks cause them. */
export function warningsOf(headers: HttpResponse['headers']): string[] {
  return [headers['warning'] ?? []]
    .flat()
    .flatMap((header) => Array.from(header.matchAll(WARNING), ([, text = '']) => text))
    .map((text) => text.replaceAll(/\\(.)/g, '$1'))
}

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT } from '../support/dormouse.ts'

/** A page of the documentation; `path` from the project's root. */
export interface Page {
  readonly path: string
  readonly text: string
}

/** A fenced block of a page. */
export interface Block {
  readonly page: string
  /** The line of its fence, from 1. */
  readonly line: number
  readonly language: string
  readonly text: string
  /** The HTML comments directly before it, with instructions for the tests (see `readMark`). */
  readonly marks: readonly string[]
  /** The block before it on the page, if only marks stand between. */
  readonly follows: Block | undefined
}

/** In reading order: the README, the quick start, the rest of docs/ without docs/decisions, the chart's README. */
export function pages(): Page[] {
  const inDocs = readdirSync(join(PROJECT, 'docs')).filter((name) => name.endsWith('.md'))
  const first = ['README.md', 'docs/quick-start.md']
  const paths = [...first, ...inDocs.map((name) => `docs/${name}`), 'charts/dormouse/README.md']
  return [...new Set(paths)].filter((path) => existsSync(join(PROJECT, path))).map(page)
}

export function page(path: string): Page {
  return { path, text: readFileSync(join(PROJECT, path), 'utf8') }
}

/** The fenced blocks of a page, in their order. */
export function blocks({ path, text }: Page): Block[] {
  const found: Block[] = []
  let marks: string[] = []
  let follows: Block | undefined
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    const [, indent = '', language] = /^( *)```(\w*)/.exec(line) ?? []
    if (language !== undefined) {
      const end = lines.findIndex((each, index) => index > at && each.trim() === '```')
      if (end < 0) throw new Error(`${path}:${at + 1}: a fence without an end`)
      const body = lines.slice(at + 1, end).map((each) => each.slice(indent.length))
      const block = { page: path, line: at + 1, language, text: body.join('\n'), marks, follows }
      found.push(block)
      marks = []
      follows = block
      at = end
    } else if (line.trim() !== '') {
      const [, mark] = /^ *<!-- (.*) -->$/.exec(line) ?? []
      if (mark !== undefined) marks.push(mark)
      else {
        marks = []
        follows = undefined
      }
    }
  }
  return found
}

/** The text after `name:` in a mark of the block; `''` if there is none; undefined: no such mark. */
export function readMark(
  { marks }: Block,
  name: 'not run' | 'runs on' | 'fails' | 'output' | 'file' | 'configuration',
) {
  for (const mark of marks) {
    if (mark === name) return ''
    if (mark.startsWith(`${name}: `)) return mark.slice(name.length + 2)
  }
  return undefined
}

import { existsSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect } from 'chai'
import { PROJECT } from '../support/dormouse.ts'
import { page, pages, type Page } from './pages.ts'

interface Link {
  readonly to: string
  readonly line: number
}

/** Text outside of fences and of code within lines. */
function proseOf({ text }: Page): string {
  const withoutFences = text.replaceAll(/^( *)```[^\n]*\n[\s\S]*?^ *```$/gm, (fence) =>
    fence.replaceAll(/[^\n]/g, ''),
  )
  return withoutFences.replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[^\n]/g, 'x'))
}

function links(from: Page): Link[] {
  const prose = proseOf(from)
  return Array.from(prose.matchAll(/\]\(([^)\s]+)\)/g), ({ 1: to = '', index }) => ({
    to,
    line: prose.slice(0, index).split('\n').length,
  }))
}

/** The anchors that GitHub makes of headings. */
function anchors({ text }: Page): string[] {
  const headings = text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#{1,6} (.+)$/gm)
  const seen = new Map<string, number>()
  return Array.from(headings, ([, heading = '']) => {
    const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    const slug = plain
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-')
    const times = seen.get(slug) ?? 0
    seen.set(slug, times + 1)
    return times === 0 ? slug : `${slug}-${times}`
  })
}

/** Why a link within the project leads nowhere; undefined: it leads somewhere, or away. */
function fault({ path }: Page, to: string): string | undefined {
  if (/^[a-z]+:/.test(to)) return undefined
  const [file = '', anchor] = to.split('#')
  const target = file === '' ? path : normalize(join(dirname(path), decodeURI(file)))
  if (!existsSync(join(PROJECT, target))) return 'there is no such file'
  if (anchor === undefined || !target.endsWith('.md')) return undefined
  return anchors(page(target)).includes(anchor) ? undefined : 'there is no such heading'
}

describe('the links of the documentation', () => {
  for (const from of [...pages(), page('CONTRIBUTING.md'), page('CHANGELOG.md'), page('SECURITY.md')]) {
    it(`of ${from.path} lead somewhere`, () => {
      const broken = links(from).flatMap(({ to, line }) => {
        const why = fault(from, to)
        return why === undefined ? [] : [`${from.path}:${line}: ${to}: ${why}`]
      })
      expect(broken).to.deep.equal([])
    })
  }

  it('lead to every page from the README', () => {
    const reached = new Set(['README.md'])
    for (const path of reached) {
      for (const { to } of links(page(path))) {
        const target = normalize(join(dirname(path), to.split('#')[0] ?? ''))
        if (target.endsWith('.md') && existsSync(join(PROJECT, target)) && !/^[a-z]+:/.test(to))
          reached.add(target)
      }
    }
    const unreached = pages()
      .map(({ path }) => path)
      .filter((path) => !reached.has(path))
    expect(unreached).to.deep.equal([])
  })
})

import { format } from 'prettier'

/** Between these lines a page is made by `npm run docs`; around them it is written by hand. */
const BEGIN = '<!-- made by npm run docs -->'
const END = '<!-- until here -->'

/** The page with the part between the two lines replaced, formatted. */
export async function withPart(page: string, part: string): Promise<string> {
  const begin = page.indexOf(BEGIN)
  const end = page.indexOf(END)
  if (begin < 0 || end < begin) throw new Error(`the page needs the lines ${BEGIN} and ${END}`)
  const text = `${page.slice(0, begin)}${BEGIN}\n\n${part}\n\n${page.slice(end)}`
  return format(text, { parser: 'markdown', printWidth: 110 })
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`)
  return lines.join('\n')
}

function cell(text: string): string {
  return text.replaceAll('|', String.raw`\|`)
}

export function code(text: string): string {
  return `\`${text}\``
}

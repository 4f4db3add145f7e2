import type { Languages, PageTexts } from './texts.ts'

/** Ranges that are read: a header of thousands is nobody's. */
const MOST_RANGES = 20
const RIGHT_TO_LEFT = new Set(['Arab', 'Hebr', 'Syrc', 'Thaa', 'Nkoo', 'Adlm'])

export interface Language {
  /** A language tag in lower case. */
  readonly tag: string
  readonly direction: 'ltr' | 'rtl'
  readonly texts: PageTexts
}

/** The language that an `Accept-Language` header likes best among ours, by the lookup of RFC 4647 §3.4; else English. */
export function languageFor(accept: string | undefined, languages: Languages): Language {
  for (const range of rangesOf(accept ?? ''))
    for (let tag = range; tag !== ''; tag = tag.slice(0, Math.max(0, tag.lastIndexOf('-')))) {
      const texts = languages.get(tag)
      if (texts) return { tag, direction: directionOf(tag), texts }
    }
  const texts = languages.get('en')
  if (!texts) throw new TypeError('the page always has English')
  return { tag: 'en', direction: 'ltr', texts }
}

/** Language ranges from the most wanted; those that are not wanted are left out. */
function rangesOf(accept: string): string[] {
  return accept
    .split(',', MOST_RANGES)
    .map((range) => {
      const [tag = '', quality = ''] = range.split(';', 2)
      const [, given] = /^\s*q=([01](?:\.\d{0,3})?)\s*$/i.exec(quality) ?? []
      return { tag: tag.trim().toLowerCase(), weight: given === undefined ? 1 : Number(given) }
    })
    .filter(({ tag, weight }) => weight > 0 && /^[a-z]{1,8}(?:-[a-z\d]{1,8})*$/.test(tag))
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag)
}

function directionOf(tag: string): Language['direction'] {
  return RIGHT_TO_LEFT.has(new Intl.Locale(tag).maximize().script ?? '') ? 'rtl' : 'ltr'
}

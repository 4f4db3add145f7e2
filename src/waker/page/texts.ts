import { parse } from 'yaml'
import { isRecord } from '../../domain/json-schema.ts'
import { messageOf, UsageError } from '../../process/errors.ts'

/** `{…}` are filled in. Each: a sentence for a person who is tired and whose first language may be another. */
const ENGLISH = {
  place: 'Service {service} in namespace {namespace}',
  asleep: '{service} is asleep',
  asleepUntil: 'It is asleep until {until}.',
  pressButton: 'Press the button to wake it.',
  button: 'Wake it up',
  needsScripts: 'To wake and open it, allow scripts for this page and load it again.',
  waking: '{service} is waking up',
  usual: 'This usually takes {duration}.',
  opens: 'This page opens it as soon as it is ready. You need not do anything.',
  late: '{service} is still waking up',
  lateWhy:
    'It takes longer than it should. This page keeps trying. If it stays so, tell the people who run it.',
  held: '{service} is kept asleep',
  heldUntil: 'It is kept asleep until {until}. Opening this page does not wake it.',
  heldOpen: 'Opening this page does not wake it.',
  command: 'Whoever may do so in this cluster wakes it with {command}',
  awake: '{service} is awake',
  awakeOpens: 'It opens in a moment.',
  off: '{service} does not answer',
  offWhy: 'Opening this page does not wake it.',
  unknown: '{service} does not answer',
  unknownWhy:
    'It may be asleep, and Dormouse, which can wake it, cannot be asked now. This page keeps trying.',
  offline: 'The network fails. This page keeps trying.',
  formLost: 'The form that you sent did not arrive, and it will not be sent again.',
  stuck:
    'Something answers in its place, and this page came back. Load it again without the cache: Ctrl+Shift+R.',
  again: 'Load it again',
} as const

const GERMAN: PageTexts = {
  place: 'Service {service} im Namespace {namespace}',
  asleep: '{service} schläft',
  asleepUntil: 'Der Dienst schläft bis {until}.',
  pressButton: 'Zum Wecken die Taste drücken.',
  button: 'Aufwecken',
  needsScripts: 'Zum Wecken und Öffnen bitte Skripte für diese Seite erlauben und die Seite neu laden.',
  waking: '{service} wacht auf',
  usual: 'Das dauert meist {duration}.',
  opens: 'Diese Seite öffnet den Dienst, sobald er bereit ist. Es ist nichts weiter zu tun.',
  late: '{service} wacht noch auf',
  lateWhy:
    'Es dauert länger, als es sollte. Diese Seite versucht es weiter. Bleibt es so, bitte den Betreibern Bescheid geben.',
  held: '{service} bleibt im Schlaf',
  heldUntil: 'Der Dienst bleibt bis {until} im Schlaf. Diese Seite zu öffnen weckt ihn nicht.',
  heldOpen: 'Diese Seite zu öffnen weckt ihn nicht.',
  command: 'Wer es in diesem Cluster darf, weckt ihn mit {command}',
  awake: '{service} ist wach',
  awakeOpens: 'Der Dienst öffnet sich gleich.',
  off: '{service} antwortet nicht',
  offWhy: 'Diese Seite zu öffnen weckt den Dienst nicht.',
  unknown: '{service} antwortet nicht',
  unknownWhy:
    'Vielleicht schläft der Dienst, und Dormouse, das ihn wecken kann, ist gerade nicht zu fragen. Diese Seite versucht es weiter.',
  offline: 'Das Netz antwortet nicht. Diese Seite versucht es weiter.',
  formLost: 'Das abgeschickte Formular kam nicht an und wird nicht noch einmal gesendet.',
  stuck:
    'Etwas anderes antwortet, und diese Seite kam wieder. Bitte ohne Zwischenspeicher neu laden: Strg+Umschalt+R.',
  again: 'Neu laden',
}

type TextKey = keyof typeof ENGLISH
export type PageTexts = Readonly<Record<TextKey, string>>
/** By the canonical language tag in lower case: `de`, `pt-br`. English is always there. */
export type Languages = ReadonlyMap<string, PageTexts>

/** Each may be used where the English text has it. */
const PLACEHOLDER = /\{(\w+)\}/g
/** Characters: the page stays small in each language. */
const LONGEST = 300

export const BUILT_IN: Languages = new Map([
  ['en', ENGLISH],
  ['de', GERMAN],
])

/**
 * The built-in languages, and those of a file: YAML or JSON of `language: { key: text }`. Missing texts are English, or
 * those of the built-in language.
 * @param source names the setting and its file in errors: `waker.page /etc/dormouse/page.yaml`
 * @throws UsageError that names the language and the key
 */
export function readLanguages(source: string, text: string): Languages {
  const languages = new Map(BUILT_IN)
  for (const [name, texts] of Object.entries(parsed(source, text))) {
    const tag = canonical(name)
    if (tag === undefined)
      throw new UsageError(
        `${source}: ${JSON.stringify(name)} is no language: give a tag such as fr or pt-BR`,
      )
    const fault = faultIn(texts)
    if (fault !== undefined) throw new UsageError(`${source}: ${name}${fault}`)
    languages.set(tag, { ...(BUILT_IN.get(tag) ?? ENGLISH), ...(texts as Partial<PageTexts>) })
  }
  return languages
}

function parsed(source: string, text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = parse(text)
  } catch (error) {
    throw new UsageError(`${source}: neither YAML nor JSON: ${messageOf(error)}`, { cause: error })
  }
  if (isRecord(value)) return value
  throw new UsageError(`${source}: must map languages to texts, such as fr: { button: Réveiller }`)
}

function canonical(name: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(name)[0]?.toLowerCase()
  } catch {
    return undefined
  }
}

/** The first fault of the texts of a language, from its place on; undefined: none. */
function faultIn(texts: unknown): string | undefined {
  if (!isRecord(texts)) return ' must map keys to texts'
  for (const [key, text] of Object.entries(texts)) {
    if (!Object.hasOwn(ENGLISH, key))
      return `.${key} is no text of the page: it has ${Object.keys(ENGLISH).join(', ')}`
    if (typeof text !== 'string' || text.trim() === '' || text.length > LONGEST)
      return `.${key} must be a text of at most ${LONGEST} characters`
    const known = placeholdersOf(ENGLISH[key as TextKey])
    const foreign = placeholdersOf(text).find((each) => !known.includes(each))
    if (foreign !== undefined)
      return `.${key} has ${foreign}, which nothing fills in: it may have ${known.join(', ') || 'none'}`
  }
  return undefined
}

function placeholdersOf(text: string): string[] {
  return text.match(PLACEHOLDER) ?? []
}

import fc from 'fast-check'
import { parse } from 'yaml'
import { mutated } from './json-mutations.ts'

/** YAML's features beyond JSON, and syntax errors. */
const YAML_PARTS = [
  ['&a ', '*a', '<<: *a', '!!binary ', '!!set ', '!x ', '? ', '|\n', '>-\n', '---\n', '...\n', '%YAML 1.1\n'],
  [
    '{',
    '}',
    '[',
    ']',
    ': ',
    '- ',
    '\t',
    '#',
    '"',
    "'",
    '\0',
    '\ufeff',
    '\u2028',
    'yes',
    '0o7',
    '.inf',
    '~',
    '012',
  ],
  ['__proto__: { timezone: x }\n', 'a: &a [*a]\n', 'a: 1\na: 2\n'],
].flat()

/** Texts of YAML files: `example` with changes in its values or in its text, and anything else. */
export function anyFile(example: string): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 5, arbitrary: mutated(fc.constant(parse(example) as unknown)).map(written) },
    {
      weight: 4,
      arbitrary: fc
        .array(
          fc.tuple(
            fc.nat(),
            fc.nat(5),
            fc.oneof(fc.constantFrom(...YAML_PARTS), fc.string({ maxLength: 5 })),
          ),
          {
            maxLength: 3,
          },
        )
        .map((changes) =>
          changes.reduce((text, [at, removed, other]) => {
            const place = at % (text.length + 1)
            return text.slice(0, place) + other + text.slice(place + removed)
          }, example),
        ),
    },
    {
      weight: 1,
      arbitrary: fc.array(fc.constantFrom(...YAML_PARTS), { maxLength: 12 }).map((parts) => parts.join('')),
    },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 100 }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(aliasBomb(), '['.repeat(200), '{a: '.repeat(200), 'x: '.repeat(200)),
    },
  )
}

/** JSON is YAML. */
function written(value: unknown): string {
  return JSON.stringify(value, null, 1) ?? ''
}

/** 10⁹ values in some 300 characters. */
function aliasBomb(): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
  for (let level = 1; level < 9; level += 1)
    lines.push(`a${level}: &a${level} [${Array.from({ length: 10 }, () => `*a${level - 1}`).join(', ')}]`)
  return lines.join('\n')
}

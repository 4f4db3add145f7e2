import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import fc from 'fast-check'
import { asciiJson, commandLine } from '../../../src/import/plan/shell-words.ts'
import { propertyRuns } from '../../support/property-runs.ts'

/** A shell's reading of a text: the arguments of a command, each with a null character after it. */
const read = (text: string) =>
  execFileSync('sh', ['-c', `set -- ${text}\nprintf '%s\\0' "$@"`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1)

const HOSTILE = [
  "'; touch pwned; echo '",
  '`id`',
  '$(id)',
  'a\nb',
  '',
  '"',
  '\\',
  '*',
  '-',
  '~',
  '!',
  '#',
  "''",
  '{a,b}',
]

describe('a command to be pasted', () => {
  it('has one argument for each word, whatever stands in it', () => {
    expect(read(commandLine(...HOSTILE))).to.deep.equal(HOSTILE)
  })

  it('has it for any text', () => {
    const text = fc.string({ unit: 'grapheme' }).filter((each) => !each.includes('\0'))
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 50 }), (words) => {
        expect(read(commandLine(...words))).to.deep.equal(words)
      }),
      propertyRuns(30),
    )
  })

  it('has no quotes where none are needed', () => {
    const words = ['kubectl', 'patch', 'deployment.apps', 'web', '-n', 'shop', '--type=merge']
    expect(commandLine(...words)).to.equal(words.join(' '))
  })

  it('has JSON that says the same in ASCII: nothing in it steers a terminal', () => {
    const value = { 'a\u202E': ['\u007F\u009B31m', 'ü', '😀', '\n'] }
    expect(asciiJson(value)).to.match(/^[ -~]*$/)
    expect(JSON.parse(asciiJson(value))).to.deep.equal(value)
  })
})

import { InvalidArgumentError } from 'commander'
import { aDuration, durationIn, unitAdvice, type Bounds } from '../domain/schedule/duration.ts'

// Parsers of option values. Each throws commander's InvalidArgumentError, to which commander adds the option's name.

/** Milliseconds of `90s`, `8h` and the like, within bounds. */
export function duration(...bounds: Bounds) {
  return (text: string): number => {
    const value = durationIn(text, bounds)
    if (value !== undefined) return value
    throw new InvalidArgumentError(`Expected ${aDuration(bounds)}${unitAdvice(text) || '.'}`)
  }
}

export function wholeNumber(least: number, most: number) {
  return (text: string): number => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN
    if (value >= least && value <= most) return value
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`)
  }
}

export function port(text: string): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : NaN
  if (value <= 65_535) return value
  throw new InvalidArgumentError('Expected a port from 0 to 65535.')
}

/** `a,b`; every item must match. */
export function list(item: RegExp, expected: string) {
  return (text: string): string[] => {
    const items = text.split(',').map((each) => each.trim())
    if (items.every((each) => item.test(each))) return [...new Set(items)]
    throw new InvalidArgumentError(`Expected ${expected}.`)
  }
}

/** The value of a claim: 1 to 128 characters, none of them a control character. */
export function name(text: string): string {
  if (/^[^\p{Cc}]{1,128}$/u.test(text)) return text
  throw new InvalidArgumentError('Expected 1 to 128 characters without control characters.')
}

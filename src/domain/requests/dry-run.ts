/** How a text of what was done begins, and what it becomes where it was not; the first that fits counts. */
const FORMS: readonly (readonly [RegExp, string])[] = [
  [/^(?=would )/, ''],
  [/^stays /, 'would stay '],
  [/^is to wake /, 'would wake '],
  [/^nothing to do: /, 'would be left as it is: '],
  [/^nothing to do$/, 'would be left as it is'],
  [/^(?=already |asleep already|not |it has no |that is its )/, 'would be left as it is: '],
  [/^(?=override cleared|schedule (?:set|removed))/, 'would have its '],
  [/^(its own \S+) is removed\b/, 'would have $1 removed'],
  [/^the settings are written\b/, 'would have its settings written'],
  [/^/, 'would be '],
]

/** The moves that a request brings about beside what it asks for. */
const MOVES: readonly (readonly [RegExp, string])[] = [
  [/, which (?:puts|is to put) it to sleep now/g, ', which would put it to sleep now'],
  [/, which (?:wakes|is to wake) it now/g, ', which would wake it now'],
]

/** The effect of a request, as a dry run tells it: `would be woken to 3 replicas: …`. It reads on after the workload's name. */
export function wouldBe(done: string): string {
  const form = FORMS.find(([begins]) => begins.test(done))
  const begun = form ? done.replace(...form) : done
  return MOVES.reduce((text, [was, is]) => text.replaceAll(was, is), begun)
}

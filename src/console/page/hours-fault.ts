/**
 * A fault of hours in somebody's words, and the field that it is about, if one is named: `body /schedule at 1: …` by the
 * API, `schedule: at 1: …` over a kubeconfig. The place is for programs, and left out.
 */
export function faultOf(text: string): { about: string | undefined; fault: string } {
  const named = /(?:\bbody \/|^|: )(?:dormouse\.dev\/)?(schedule|timezone)(?: at \d+)?:? (?:at \d+: )?/.exec(
    text,
  )
  return { about: named?.[1], fault: named ? text.slice(named.index + named[0].length) : text }
}

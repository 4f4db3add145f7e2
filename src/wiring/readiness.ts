import { releasedText } from '../domain/deciding/released.ts'
import type { Readiness } from '../service/metrics/metrics-server.ts'
import type { Wiring } from './wiring.ts'

/** A kind that cannot be watched is reported, but does not make the service unready: the other kinds work. */
export function readiness({ cluster: { informer, namespaces }, identity, release }: Wiring): Readiness {
  const { watches } = informer
  const listed = watches.some((each) => each.listed)
  const down = watches.filter(({ connected }) => !connected).map(({ kind }) => kind)
  const known = identity.user !== undefined
  return {
    ready: listed && known,
    reasons: [
      ...(release.mark ? [`${releasedText(release.mark)} until \`dormouse release --undo\``] : []),
      ...(listed ? [] : ['no workloads are listed yet']),
      ...(listed && down.length > 0
        ? [`${down.join(', ')}: not watched, so nothing is done about them; the log says why`]
        : []),
      ...(namespaces.synced ? [] : ['the Namespaces are not known, so nothing is done; the log says why']),
      ...(known ? [] : ['the cluster has not yet answered which user we are (create selfsubjectreviews)']),
    ],
  }
}

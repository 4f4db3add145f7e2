import type { Released } from '../domain/deciding/released.ts'
import { readPublished } from '../domain/records/published.ts'
import type { Host } from './host.ts'

/** The ConfigMap by which the service tells clients of its settings: every signed-in user may read it. */
const PUBLISHED = '/api/v1/namespaces/kube-public/configmaps/dormouse'

/** A hook: who released the cluster from Dormouse, read once for each cluster that is shown; undefined: nobody, or it is not told. */
export function releasedFor({ React, ApiProxy }: Host) {
  return (cluster: string | undefined): Released | undefined => {
    const [found, tell] = React.useState<Released | undefined>(undefined)
    React.useEffect(() => {
      let isGone = false
      if (cluster !== undefined) void releasedIn(cluster, ApiProxy).then((each) => isGone || tell(each))
      return () => {
        isGone = true
      }
    }, [cluster])
    return found
  }
}

async function releasedIn(cluster: string, api: Host['ApiProxy']): Promise<Released | undefined> {
  try {
    const response = await api.clusterRequest(PUBLISHED, { cluster, isJSON: false }, {})
    const { data = {} } = (await response.json()) as { data?: Readonly<Record<string, string>> }
    return readPublished(data).settings.released
  } catch {
    return undefined
  }
}

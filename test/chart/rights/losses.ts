import { expect } from 'chai'
import { KINDS, type Kind } from '../../../src/domain/workload/workload.ts'
import { eventually } from '../../support/eventually.ts'
import type { Grant } from './grants.ts'
import type { Stage } from './stage.ts'
import { define } from '../../keda/operator.ts'
import {
  asleepWithSlice,
  awakeWithoutSlice,
  cycle,
  disown,
  editedSlice,
  logged,
  lowered,
  marked,
  refused,
  secretOf,
  unavailable,
  unowned,
  type Told,
} from './told.ts'

/** The effect of a missing right on Dormouse. */
export interface Loss {
  /** Reads on after "without it". */
  readonly fails: string
  /** Runs before the start of Dormouse, with every right. */
  readonly prepare?: (stage: Stage) => Promise<unknown>
  readonly told: Told
}

const UNFOLLOWED = 'a watch or list failed and is tried again'

/** By verb and resource; in this order, since `release` ends the objects of the others. */
export const LOSSES: Readonly<Record<Grant, Loss>> = {
  ...Object.assign({}, ...KINDS.map(ofKind)),
  'patch cronjobs/status': {
    fails: 'CronJobs do not wake, unless they are to catch up',
    told: async (stage, missing) => {
      await (await stage.workload('cronjobs')).snooze()
      return refused('cronjobs', 'wake')(stage, missing)
    },
  },
  'create events': {
    fails: 'no Event says what was done',
    told: async (stage, missing) => {
      await cycle(stage)
      return logged('an Event could not be written')(stage, missing)
    },
  },
  'patch events': {
    fails: 'an Event that is repeated is not counted',
    told: async (stage, missing) => {
      await cycle(stage)
      await cycle(stage)
      return logged('an Event could not be written')(stage, missing)
    },
  },
  ...unfollowed('customresourcedefinitions', 'KEDA is not noticed'),
  ...unfollowed('scaledobjects', 'KEDA is not paused', (stage) => define(stage.on())),
  'patch scaledobjects': {
    fails: 'KEDA stays paused, or is not',
    prepare: marked,
    told: logged('a pause could not be written'),
  },
  ...unfollowed('horizontalpodautoscalers', 'an HPA wakes what sleeps at more than 0'),
  'patch horizontalpodautoscalers': {
    fails: 'the minimum of an HPA stays lowered, or is not',
    prepare: lowered,
    told: logged('a pause could not be written'),
  },
  'create tokenreviews': { fails: 'nobody can log in by the cluster', told: unavailable },
  'create subjectaccessreviews': { fails: 'nobody may do anything', told: unavailable },
  ...unfollowed('mutatingwebhookconfigurations', 'the webhook is not kept right'),
  'patch mutatingwebhookconfigurations': {
    fails: 'the webhook gets no CA',
    prepare: disown,
    told: unowned,
  },
  ...unfollowed('namespaces', 'nobody knows what workloads inherit'),
  'get namespaces': {
    fails: 'the webhook is not tied to the namespace, and so does not get into force',
    prepare: disown,
    told: unowned,
  },
  'get leases': { fails: 'nobody leads', told: logged('the Lease could not be read or written') },
  'update leases': { fails: 'nobody leads', told: logged('the Lease could not be read or written') },
  'create configmaps': {
    fails: 'the webhook is not proven, and so does not get into force',
    told: logged('the API server did not reach the webhook'),
  },
  'patch configmaps': {
    fails: 'clients do not learn zone, kinds and exclusions',
    told: logged('the settings for clients could not be published'),
  },
  'get secrets': {
    fails: 'certificates wait for the watch of their Secret',
    told: logged('certificate rotation failed'),
  },
  ...unfollowed('secrets', 'certificates of other replicas are not seen'),
  'patch secrets': {
    fails: 'there is no certificate, and nothing is served',
    prepare: (stage) => stage.on().admin.expect('PATCH', secretOf(stage), { data: null }),
    told: logged('certificate rotation failed'),
  },
  'create secrets': {
    fails: 'a Secret that was deleted stays away',
    prepare: (stage) => stage.on().admin.expect('DELETE', secretOf(stage)),
    told: logged('certificate rotation failed'),
  },
  ...unfollowed('services', 'traffic wakes nothing'),
  ...unfollowed('endpointslices', 'traffic wakes nothing'),
  'create endpointslices': {
    fails: 'traffic wakes nothing that falls asleep',
    prepare: awakeWithoutSlice,
    told: async (stage, missing) => {
      await (await stage.workload('deployments')).snooze()
      return logged('Traffic cannot wake it')(stage, missing)
    },
  },
  'patch endpointslices': {
    fails: 'slices do not follow the wakers',
    prepare: editedSlice,
    told: logged('Traffic cannot wake it'),
  },
  'delete endpointslices': {
    fails: 'wakers get a part of the connections to what is awake',
    prepare: asleepWithSlice,
    told: async (stage, missing) => {
      await (await stage.workload('deployments')).wake()
      return logged('Traffic cannot wake it')(stage, missing)
    },
  },
  'get clusterroles': {
    fails: 'slices have no owner, and so outlive an uninstallation',
    told: logged('EndpointSlices have no owner'),
  },
  'get jobs': {
    fails: 'the Job before uninstalling does nothing, and so holds the uninstall up',
    told: async (stage) => {
      await stage.stop()
      const { code, stderr } = await stage.release('--only-in-uninstall', `${stage.namespace}/any`)
      expect(code).to.equal(1)
      return stderr
    },
  },
  'delete mutatingwebhookconfigurations': {
    fails: 'a release leaves the webhook behind',
    told: async (stage) => {
      await stage.stop()
      const { code, stdout, stderr } = await stage.release()
      expect(code).to.equal(1)
      expect(stdout).to.include(`${KINDS.length} workloads released`)
      return stderr
    },
  },
}

/** Neither a list nor a watch of this resource. */
function unfollowed(resource: string, fails: string, prepare?: Loss['prepare']): Record<Grant, Loss> {
  const loss = { fails, ...(prepare && { prepare }), told: logged(UNFOLLOWED) }
  return { [`list ${resource}`]: loss, [`watch ${resource}`]: loss }
}

function ofKind(kind: Kind): Record<Grant, Loss> {
  const unwatched: Loss = {
    fails: `${kind} are left alone`,
    told: async (stage, missing) => {
      await eventually(`/readyz to name ${kind}`, async () => {
        const told = await stage.readiness()
        return told.includes(`${kind}: not watched, so nothing is done about them`)
      })
      return logged(UNFOLLOWED)(stage, missing)
    },
  }
  return {
    [`list ${kind}`]: unwatched,
    [`watch ${kind}`]: unwatched,
    [`get ${kind}`]: {
      fails: 'a request that seems to change nothing is not looked at again',
      told: refused(kind, 'wake'),
    },
    [`patch ${kind}`]: { fails: `${kind} neither sleep nor wake`, told: refused(kind, 'snooze') },
  }
}

import { durationText } from '../../domain/schedule/duration.ts'
import type { Request } from '../../domain/requests/request.ts'
import { UsageError } from '../../service/process/errors.ts'
import type { HttpCall } from './calls.ts'

/** What asks for it by the API, below the path of the workload. @throws UsageError: the API cannot be asked for it */
export function callOf(request: Request): HttpCall {
  switch (request.action) {
    case 'wake':
    case 'snooze':
      return {
        method: 'POST',
        path: `/${request.action}`,
        query: {
          for: request.for === undefined ? undefined : durationText(request.for),
          force: request.force,
        },
      }
    case 'pin':
      return { method: 'POST', path: '/pin' }
    case 'unpin':
      return { method: 'DELETE', path: '/pin' }
    case 'override': {
      const body = request.duration === null ? undefined : { duration: durationText(request.duration) }
      return { method: 'POST', path: '/override', body }
    }
    case 'clear-override':
      return { method: 'DELETE', path: '/override' }
    case 'enable':
    case 'schedule': {
      const { action, inherit, schedule, timezone } = request
      const body = {
        ...(schedule !== undefined && { schedule }),
        ...(timezone !== undefined && { timezone }),
      }
      const method = action === 'enable' ? 'POST' : 'PUT'
      return {
        method,
        path: `/${action}`,
        query: { inherit },
        body: Object.keys(body).length > 0 ? body : undefined,
      }
    }
    case 'disable':
      return { method: 'POST', path: '/disable', query: { inherit: request.inherit } }
    case 'adopt':
      throw new UsageError(
        'what another tool put to sleep is adopted through the cluster: leave --server out',
      )
  }
}

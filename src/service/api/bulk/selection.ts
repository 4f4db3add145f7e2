import pLimit from 'p-limit'
import { parseLabelSelector } from '../../../domain/policy/label-selector.ts'
import type { Kind, Workload } from '../../../domain/workload/workload.ts'
import { Refusal } from '../../../process/errors.ts'
import type { Authorization } from '../../auth/authorization.ts'
import type { ApiContext } from '../context.ts'
import { compare, listedIn } from '../listing.ts'
import { demandCurrent } from '../lookup.ts'
import type { ApiDeps } from '../ports.ts'
import { listableKinds } from '../visibility.ts'
import { MOST_WORKLOADS } from './item.ts'

/** Access reviews that all requests about namespaces together have in flight. */
const IN_FLIGHT = 4

/** A workload that a request is about; `refusal`: why its caller may not. */
export interface Selected {
  readonly workload: Workload
  readonly refusal: Refusal | undefined
}

/** The workloads of a request about a namespace, by kind and name, each with its caller's right. */
export type Selection = (ctx: ApiContext) => Promise<Selected[]>

/** Selects among the workloads that the caller may list; it reveals nothing about others, not even their number. */
export function createSelection(deps: ApiDeps, authorization: Authorization): Selection {
  const { workloads, settings } = deps
  const { refusalOf, refuseExcluded } = authorization
  const limit = pLimit(IN_FLIGHT)

  return async ({ state: { caller, input } }) => {
    const { namespace } = input.path
    const { kind: only, labelSelector = '' } = input.query
    const kinds = await listableKinds(
      authorization,
      caller,
      { namespace, kind: only, configured: settings.kinds },
      limit,
    )
    const denials = await Promise.all(
      kinds.map((kind) => refusalOf(caller, { need: 'scale', kind, namespace }, limit)),
    )
    const isDenied = denials.every((denial) => denial !== undefined)
    if (denials[0] && isDenied && caller.mode !== 'kubernetes') throw denials[0]
    refuseExcluded(namespace)
    demandCurrent(workloads, only)

    const chosen = chosenOf(deps, namespace, kinds, labelSelector)
    const selected = await Promise.all(
      chosen.map(async (workload) => {
        const { kind, name } = workload
        return { workload, refusal: await refusalOf(caller, { need: 'scale', kind, namespace, name }, limit) }
      }),
    )
    if (denials[0] && isDenied && selected.every(({ refusal }) => refusal)) throw denials[0]
    return selected
  }
}

/** @throws Refusal TOO_MANY_WORKLOADS */
function chosenOf(
  deps: Pick<ApiDeps, 'workloads' | 'rules'>,
  namespace: string,
  kinds: readonly Kind[],
  labelSelector: string,
): Workload[] {
  const hasLabels = parseLabelSelector(labelSelector)
  const chosen = listedIn(deps, namespace, kinds).filter(({ labels }) => hasLabels(labels))
  if (chosen.length > MOST_WORKLOADS) throw tooMany(chosen.length)
  return chosen.sort((a, b) => compare(`${a.kind}/${a.name}`, `${b.kind}/${b.name}`))
}

function tooMany(count: number): Refusal {
  return new Refusal(
    'TOO_MANY_WORKLOADS',
    `${count} workloads match, and one request takes ${MOST_WORKLOADS} at most: nothing was changed; ` +
      'narrow it by ?kind= or ?labelSelector=',
    { details: { workloads: count, most: MOST_WORKLOADS } },
  )
}

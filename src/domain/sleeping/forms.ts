import { factsOf, KINDS, type Kind } from '../kinds.ts'
import { COUNT } from './count.ts'
import type { Form } from './form.ts'
import { NODE_SELECTOR } from './node-selector.ts'
import { switchOf } from './switch.ts'

const FORMS: ReadonlyMap<Kind, Form> = new Map(
  KINDS.map((kind) => {
    const { sleepsBy } = factsOf(kind)
    if (sleepsBy === 'count') return [kind, COUNT]
    return [kind, sleepsBy === 'nodeSelector' ? NODE_SELECTOR : switchOf(sleepsBy)]
  }),
)

/** How workloads of a kind sleep; those of a configured kind by their count. */
export function formOf({ kind }: { readonly kind: Kind }): Form {
  return FORMS.get(kind) ?? COUNT
}

import type { Clock } from '../process/clock.ts'
import { ANNOTATION } from '../domain/annotations.ts'
import { releasedText } from '../domain/deciding/released.ts'
import type { Host, Item } from './host.ts'
import { recordOf } from './record.ts'
import { releasedFor } from './released.ts'
import { followerOf, replicasText } from '../words/pods.ts'
import { capitalised } from '../words/text.ts'
import { localised } from '../words/time.ts'
import { ask, buttonsOf, type Button } from './requests.ts'
import { labelOf, nextOf, operationOf, whyOf } from './words.ts'

const ENDS_IT = 'Whoever runs Dormouse ends that: dormouse release --undo'
/** How many operations of its history are shown. */
const SHOWN = 5
const COLUMNS = ['What', 'Who', 'Cause', 'When', 'Result'].map((label) => ({ label, datum: label }))

/** The section "Dormouse" of a detail page: state, buttons, and the last operations. */
export function sectionFor(host: Host, clock: Clock) {
  const { AuthVisible, NameValueTable, SectionBox, SimpleTable, StatusLabel } = host.CommonComponents
  const h = host.React.createElement
  const Buttons = buttonsFor(host, clock)
  const useReleased = releasedFor(host)
  return ({ resource: item }: { readonly resource: Item | null }): unknown => {
    const released = useReleased(item?.cluster)
    const now = clock()
    const record = item && recordOf(item.jsonData, now)
    if (!record) return null
    const { annotations, uid } = item.jsonData.metadata
    const { wake_schedule } = record
    const { text, status } = labelOf(record)
    const facts = {
      State: h(StatusLabel, { status }, text),
      Why: whyOf(record, now),
      Replicas: replicasText(record),
      Schedule: wake_schedule ? `${wake_schedule} (${record.timezone})` : annotations?.[ANNOTATION.schedule],
      Next: nextOf(record, now),
    }
    const rows = Object.entries(facts).map(([name, value]) => ({ name, value, hide: !value }))
    const data = record.operation_history
      .slice(0, SHOWN)
      .map((each) => operationOf(each, followerOf(record), now))
    const told = released && `${localised(releasedText(released), now)}. ${ENDS_IT}`
    const buttons = h(Buttons, { key: uid, item, choices: buttonsOf(record), told })
    return h(
      SectionBox,
      { title: 'Dormouse' },
      told && h('p', { role: 'alert' }, capitalised(told)),
      h(NameValueTable, { rows }),
      h(AuthVisible, { item, authVerb: 'patch' }, buttons),
      h(SimpleTable, { columns: COLUMNS, data, emptyMessage: 'Dormouse never put it to sleep or woke it' }),
    )
  }
}

interface ButtonsProps {
  readonly item: Item
  readonly choices: readonly Button[]
  /** In place of their hints: who released the cluster. */
  readonly told: string | undefined
}

/** Buttons that ask Dormouse, one at a time, and below them what came of it. */
function buttonsFor({ React, MuiMaterial, ApiProxy }: Host, clock: Clock) {
  const h = React.createElement
  return ({ item, choices, told }: ButtonsProps): unknown => {
    const [busy, setBusy] = React.useState(false)
    const [said, say] = React.useState('')
    const perform = async (request: Button['request']): Promise<void> => {
      setBusy(true)
      say(localised(await ask(request, item, ApiProxy), clock()))
      setBusy(false)
    }
    const buttons = choices.map(({ label, hint, request }) => {
      const act = { title: told ?? hint, disabled: busy, onClick: () => void perform(request) }
      return h(MuiMaterial.Button, { key: label, variant: 'outlined', sx: { mr: 1, my: 1 }, ...act }, label)
    })
    return h('div', null, buttons, h('div', { role: 'status' }, busy ? 'Asking Dormouse…' : said))
  }
}

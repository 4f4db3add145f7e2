import type { Host } from '../../src/headlamp/host.ts'

type Props = Readonly<Record<string, string>>
interface TableProps {
  readonly columns: readonly { readonly datum: string }[]
  readonly data: readonly Props[]
  readonly emptyMessage: string
}
interface FactsProps {
  readonly rows: readonly { readonly name: string; readonly value: unknown; readonly hide: boolean }[]
}
interface ButtonProps {
  readonly onClick: () => void
  readonly disabled: boolean
  readonly title: string
  readonly children: unknown
}

/** In place of Headlamp's components: the same props, plain elements. */
export function standIns(
  h: Host['React']['createElement'],
  mayPatch: () => boolean,
): Pick<Host, 'CommonComponents' | 'MuiMaterial'> {
  return {
    CommonComponents: {
      SectionBox: ({ title, children }: Props) => h('section', { 'aria-label': title }, children),
      NameValueTable: ({ rows }: FactsProps) => {
        const shown = rows.filter(({ hide }) => !hide)
        return h(
          'dl',
          null,
          ...shown.flatMap(({ name, value }) => [h('dt', null, name), h('dd', null, value)]),
        )
      },
      SimpleTable({ columns, data, emptyMessage }: TableProps) {
        if (data.length === 0) return h('p', null, emptyMessage)
        const cellsOf = (row: Props) => columns.map(({ datum }) => h('td', null, row[datum]))
        return h('table', null, h('tbody', null, ...data.map((row) => h('tr', null, ...cellsOf(row)))))
      },
      StatusLabel: ({ status, children }: Props) => h('span', { 'data-status': status }, children),
      AuthVisible: ({ authVerb, children }: Props) => (mayPatch() && authVerb === 'patch' ? children : null),
    },
    MuiMaterial: {
      Button: ({ title, disabled, onClick, children }: ButtonProps) =>
        h('button', { title, disabled, onClick }, children),
    },
  }
}

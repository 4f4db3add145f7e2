import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { icon } from './icons.ts'
import { html } from './view.ts'

export interface MenuItem {
  readonly id: string
  readonly label: string
  /** A sentence that tells it from the others. */
  readonly hint: string
  /** Why it cannot be chosen; '': it can. */
  readonly off: string
  readonly choose: () => void
}

interface Props {
  /** For screen readers, where the button has but an arrow. */
  readonly name?: string
  readonly items: readonly MenuItem[]
  readonly isBusy: boolean
  readonly children?: ComponentChildren
}

/** A button that opens a menu: arrow keys go through it, Escape and a click elsewhere close it. */
export function Menu({ name, items, isBusy, children }: Props): VNode {
  const [isOpen, setOpen] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  const entries = () => [...(place.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])]
  useEffect(() => {
    if (isOpen) entries()[0]?.focus()
  }, [isOpen])

  function close(): void {
    setOpen(false)
    place.current?.querySelector('button')?.focus()
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (!isOpen) return
    const all = entries()
    const at = all.findIndex((each) => each === document.activeElement)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key]
    if (event.key === 'Escape') close()
    else if (to === undefined) return
    else all.at(to % all.length)?.focus()
    event.preventDefault()
    event.stopPropagation()
  }

  return html`<div
    class="menu"
    ref=${place}
    onKeyDown=${onKeyDown}
    onFocusOut=${({ relatedTarget }: FocusEvent) =>
      place.current?.contains(relatedTarget as Node | null) || setOpen(false)}
  >
    <button
      type="button"
      aria-haspopup="menu"
      aria-expanded=${isOpen ? 'true' : 'false'}
      aria-disabled=${isBusy ? 'true' : 'false'}
      aria-label=${name}
      onClick=${() => setOpen(!isOpen && !isBusy)}
    >
      ${children}${icon('open')}
    </button>
    ${
      isOpen &&
      html`<div class="items" role="menu" aria-label=${name ?? 'More'}>
        ${items.map(
          ({ id, label, hint, off, choose }) =>
            html`<button
              type="button"
              role="menuitem"
              tabindex="-1"
              key=${id}
              aria-disabled=${off === '' ? 'false' : 'true'}
              onClick=${() => {
                if (off !== '') return
                close()
                choose()
              }}
            >
              <strong>${label}</strong> <span class="quiet">${off || hint}</span>
            </button>`,
        )}
      </div>`
    }
  </div>`
}

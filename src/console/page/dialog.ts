import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { html } from './view.ts'

interface Props {
  readonly id: string
  readonly title: string
  readonly children?: ComponentChildren
  /** undefined: it cannot be left, such as the sign-in. */
  readonly onClose?: () => void
}

/** A dialog of the browser's own: it keeps the focus inside, and gives it back. */
export function Dialog({ id, title, children, onClose }: Props): VNode {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return html`<dialog
    ref=${dialog}
    aria-labelledby=${id}
    onCancel=${(event: Event) => {
      event.preventDefault()
      onClose?.()
    }}
    onKeyDown=${(event: KeyboardEvent) => event.stopPropagation()}
  >
    <h2 id=${id}>${title}</h2>
    ${children}
  </dialog>`
}

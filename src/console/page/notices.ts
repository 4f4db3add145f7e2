import type { VNode } from 'preact'
import type { App } from './app.ts'
import { icon } from './icons.ts'
import { html } from './view.ts'

/** The outcomes of clicks, each with its undo as long as it is seen. */
export function Notices({ app: { model, doing } }: { app: App }): VNode {
  return html`<div class="notices" role="log" aria-label="What happened" aria-live="polite">
    ${model.notices.map(
      ({ id, isFault, text, undo }) =>
        html`<div key=${id} class=${`notice${isFault ? ' fault' : ''}`}>
          <p>${text}</p>
          ${
            undo &&
            html`<button
              type="button"
              onClick=${() => void doing.perform(undo).then((isDone) => isDone && model.dismiss(id))}
            >
              Undo
            </button>`
          }
          <button type="button" class="plain" aria-label="Dismiss" onClick=${() => model.dismiss(id)}>
            ${icon('close')}
          </button>
        </div>`,
    )}
  </div>`
}

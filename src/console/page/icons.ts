import type { VNode } from 'preact'
import { html } from './view.ts'
import { type State } from '../../words/state.ts'

const PATHS = {
  asleep: 'M13.2 10.2A5.6 5.6 0 0 1 5.8 2.8a5.7 5.7 0 1 0 7.4 7.4z',
  awake:
    'M8 4.6a3.4 3.4 0 1 0 0 6.8 3.4 3.4 0 0 0 0-6.8zM8 1v1.6M8 13.4V15M1 8h1.6M13.4 8H15M3 3l1.2 1.2M11.8 11.8 13 13M3 13l1.2-1.2M11.8 4.2 13 3',
  late: 'M8 2.2a5.8 5.8 0 1 0 0 11.6 5.8 5.8 0 0 0 0-11.6zM8 4.8V8l2.2 1.6',
  pin: 'M8 15v-4M4.5 11h7l-1.4-2.8V3.5l1-1.5H4.9l1 1.5v4.7z',
  override: 'M6 3.5v9M10 3.5v9',
  backoff: 'M4.5 1.5h7M4.5 14.5h7M5 1.5c0 3.5 6 4 6 6.5s-6 3-6 6.5M11 1.5c0 3.5-6 4-6 6.5s6 3 6 6.5',
  unmanaged: 'M4 8h8',
  unknown: 'M5.5 6a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.8-1.1 1.8M8 12.8v.4',
  invalid: 'M8 2.5v6.5M8 12.8v.4',
  close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  open: 'M4 6.5l4 4 4-4',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.4 10.4 14 14',
} as const satisfies Record<State | 'close' | 'open' | 'search', string>

/** An icon beside words, or in a labelled button: hidden from screen readers. */
export function icon(name: keyof typeof PATHS): VNode {
  return html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d=${PATHS[name]} /></svg>`
}

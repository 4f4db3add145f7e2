import htm from 'htm'
import { h, type VNode } from 'preact'

/** Templates become Preact's nodes; text in them is text, never markup. */
export const html = htm.bind(h) as (strings: TemplateStringsArray, ...values: unknown[]) => VNode

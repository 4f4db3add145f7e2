/** The little of jsdom that the tests use; the compiler's DOM is for the console's page alone. */
declare module 'jsdom' {
  export interface Element {
    readonly textContent: string
    readonly disabled?: boolean
    querySelector(selector: string): Element | null
    querySelectorAll(selector: string): Iterable<Element>
    getAttribute(name: string): string | null
    click(): void
  }

  export class JSDOM {
    constructor(html: string, options: { readonly runScripts: 'outside-only' })
    readonly window: {
      readonly document: Element
      /** Runs a script in the page. */
      eval(script: string): unknown
      close(): void
      [name: string]: unknown
    }
  }
}

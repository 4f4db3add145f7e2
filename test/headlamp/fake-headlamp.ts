import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { JSDOM, type Element } from 'jsdom'
import type { Host, Item, Table } from '../../src/headlamp/host.ts'
import { standIns } from './stand-ins.ts'
import { eventually } from '../support/eventually.ts'
import type { Instant } from '../../src/process/clock.ts'

interface React {
  readonly createElement: Host['React']['createElement']
}
interface ReactDOM {
  createRoot(at: Element | null): { render(element: unknown): void; unmount(): void }
  flushSync(act: () => void): void
}

/** A request of the plugin, as Headlamp's `clusterRequest` gets it. */
export interface Requested {
  readonly path: string
  readonly params: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, string>>
}

const require = createRequire(import.meta.url)
/** The scripts that define the globals `React` and `ReactDOM` of a page: of the release that Headlamp has. */
const SCRIPTS = [
  join(require.resolve('react'), '../umd/react.development.js'),
  join(require.resolve('react-dom'), '../umd/react-dom.development.js'),
].map((file) => readFileSync(file, 'utf8'))

/**
 * A page that runs a plugin as Headlamp does, with React and stand-ins for its components and calls: nothing of Node is
 * there, and its clock stands still.
 */
export class FakeHeadlamp {
  readonly #dom = new JSDOM('<!doctype html><div id="root"></div>', { runScripts: 'outside-only' })
  readonly #processors: Parameters<Host['registerResourceTableColumnsProcessor']>[0][] = []
  readonly #sections: unknown[] = []
  readonly #root: ReturnType<ReactDOM['createRoot']>
  readonly requests: Requested[] = []
  /** The answer of the cluster. */
  answer: (asked: Requested) => Promise<Response> = () => Promise.reject(new Error('Unreachable'))
  /** The ConfigMap of what the service publishes; it is no request of a person. */
  published: () => Promise<Response> = () => Promise.reject(new Error('Not Found'))
  /** Whether the user may patch what is shown. */
  mayPatch = true
  /** React's complaints. */
  readonly complaints: string[] = []

  /** `plugin`: the text of its `main.js`. */
  constructor(plugin: string, now: Instant) {
    const { window } = this.#dom
    window['console'] = { ...console, error: (...said: unknown[]) => this.complaints.push(said.join(' ')) }
    for (const script of SCRIPTS) window.eval(script)
    window.eval(`Date.now = () => ${now}`)
    window['pluginLib'] = this.#host(window['React'] as Host['React'])
    // Headlamp: new Function(source)().
    window.eval(`new Function(${JSON.stringify(plugin)})()`)
    this.#root = this.#reactDom.createRoot(window.document.querySelector('#root'))
  }

  get #reactDom(): ReactDOM {
    return this.#dom.window['ReactDOM'] as ReactDOM
  }

  #host(React: Host['React']): Host {
    return {
      React,
      ...standIns(React.createElement, () => this.mayPatch),
      ApiProxy: {
        clusterRequest: (path, params, query) => {
          if (path.endsWith('/kube-public/configmaps/dormouse')) return this.published()
          const asked = { path, params: params as Requested['params'], query }
          this.requests.push(asked)
          return this.answer(asked)
        },
      },
      registerResourceTableColumnsProcessor: (processor) => this.#processors.push(processor),
      registerDetailsViewSection: (section) => this.#sections.push(section),
    }
  }

  columnsOf(id: string, columns: Table['columns']): Table['columns'] {
    return this.#processors.reduce((before, process) => process({ id, columns: before }), columns)
  }

  /** Draws these elements, or the sections of a detail page. */
  draw(...elements: readonly unknown[]): void {
    const { createElement } = this.#dom.window['React'] as React
    this.#reactDom.flushSync(() => this.#root.render(createElement('main', null, ...elements)))
  }

  open(resource: Item | null): void {
    const { createElement } = this.#dom.window['React'] as React
    this.draw(...this.#sections.map((section) => createElement(section, { resource })))
  }

  /** The texts of what the selector finds. */
  texts(selector: string): string[] {
    return Array.from(this.#dom.window.document.querySelectorAll(selector), ({ textContent }) => textContent)
  }

  /** The values of the section by their names. */
  get facts(): Record<string, string> {
    const values = this.texts('dd')
    return Object.fromEntries(this.texts('dt').map((name, index) => [name, values[index] ?? '']))
  }

  private press(label: string): void {
    const buttons = [...this.#dom.window.document.querySelectorAll('button')]
    const button = buttons.find(({ textContent }) => textContent === label)
    if (!button) throw new TypeError(`there is no button ${label}, only ${this.texts('button').join(', ')}`)
    button.click()
  }

  /** Presses a button, and resolves with what the page says of it. */
  async pressed(label: string): Promise<string> {
    this.press(label)
    return await eventually('an answer', () => {
      const [said = ''] = this.texts('[role=status]')
      return said !== '' && said !== 'Asking Dormouse…' && said
    })
  }

  close(): void {
    this.#reactDom.flushSync(() => this.#root.unmount())
    this.#dom.window.close()
  }
}

import { render } from 'preact'
import { App } from './app.ts'
import { Page } from './page.ts'
import { html } from './view.ts'

const app = new App()
const place = document.getElementById('app')
if (place) render(html`<${Page} app=${app} />`, place)
void app.start()

import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { App } from './app.ts'
import { Dialog } from './dialog.ts'
import { capitalised } from '../../words/text.ts'
import { icon } from './icons.ts'
import { html } from './view.ts'

/** Asks for a token. The action that met the expired token is shown, and carried out afterwards. */
export function SignInDialog({ app }: { app: App }): VNode {
  const { session, model } = app
  const { signIn } = model
  const pending = signIn?.pending
  const Way = session.isByProxy || !session.takesTokens ? ByOthers : ByToken
  return html`<${Dialog} id="sign-in" title="Sign in">
    ${signIn?.why !== '' && html`<p role="alert" class="fault with-icon">${icon('invalid')}<span>${signIn?.why}</span></p>`}
    ${pending && html`<p class="pending">Then this is done: <strong>${pending.title}</strong></p>`}
    <${Way} app=${app} />
  <//>`
}

/** Somebody else's page asks who it is, and leads back; or a link does, which a program printed. */
function ByOthers({ app }: { app: App }): VNode {
  const { session, model } = app
  const { why = '', pending } = model.signIn ?? {}
  const byLink = !session.isByProxy && !why.includes(session.otherwise)
  const signIn = pending ? 'Sign in and do it' : 'Sign in'
  return html`${byLink && html`<p>${`The link that was printed signs in once. If it was used: ${session.otherwise}.`}</p>`}
    <div class="buttons">
      <button type="button" class="primary" onClick=${() => app.loadAnew()}>
        ${session.isByProxy ? signIn : 'Try again'}
      </button>
      <${Drop} app=${app} />
    </div>`
}

function ByToken({ app }: { app: App }): VNode {
  const [token, setToken] = useState('')
  const { otherwise } = app.session
  function submit(event: Event): void {
    event.preventDefault()
    const clean = token.trim().replace(/^Bearer +/i, '')
    if (clean !== '') app.signedIn(clean)
  }
  return html`<form onSubmit=${submit}>
      <label class="field">
        <span>Token</span>
        <input
          type="password"
          required
          autocomplete="off"
          spellcheck=${false}
          value=${token}
          onInput=${(event: Event) => setToken((event.target as HTMLInputElement).value)}
        />
      </label>
      ${
        otherwise === ''
          ? html`<p class="quiet">It stays in this tab until you close it. With a Kubernetes account:</p>
              <pre tabindex="0">kubectl create token ACCOUNT <span>--audience dormouse</span></pre>`
          : html`<p class="quiet">${`${capitalised(otherwise)}. It stays in this tab until you close it.`}</p>`
      }
      <div class="buttons">
        <button type="submit" class="primary">${app.model.signIn?.pending ? 'Sign in and do it' : 'Sign in'}</button>
        <${Drop} app=${app} />
      </div>
    </form>`
}

function Drop({ app }: { app: App }): VNode | null {
  if (!app.model.signIn?.pending) return null
  return html`<button type="button" onClick=${() => app.dropPending()}>Drop what I clicked</button>`
}

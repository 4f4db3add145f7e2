import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { Provider } from 'oidc-provider'

/** The claims of a person's ID token besides the name, which signs them in with any password. */
export interface Person {
  readonly name: string
  readonly groups: readonly string[]
}

/** The client that a proxy in front of Dormouse is. */
export interface RegisteredClient {
  readonly id: string
  readonly secret: string
  readonly redirectUri: string
  /** Addresses to which the provider may send the browser after a sign-out. */
  readonly signedOut: string
}

/** An OpenID provider on loopback: the certified `oidc-provider`, with its own pages for sign-in, consent and sign-out. */
export class Issuer {
  readonly #server: Server
  readonly #cookieKey = randomBytes(32).toString('hex')
  #port: number
  #people: readonly Person[] = []
  #client: RegisteredClient | undefined
  #listener: RequestListener = (_, response) => response.writeHead(503).end()
  #keyNumber = 0
  /** Seconds for which the next ID tokens are good. */
  lifetime = 600

  private constructor(port: number) {
    this.#port = port
    this.#server = createServer((request, response) => this.#listener(request, response))
  }

  static async start(port: number, client: RegisteredClient, people: readonly Person[]): Promise<Issuer> {
    const issuer = new Issuer(port)
    issuer.#people = people
    issuer.#client = client
    issuer.rotate()
    await once(issuer.#server.listen(port, '127.0.0.1'), 'listening')
    return issuer
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Signs with a new key from now on, and no longer publishes the old one. People stay signed in. */
  rotate(): void {
    const client = this.#client
    if (!client) throw new TypeError('start it first')
    this.#keyNumber += 1
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const key = {
      ...privateKey.export({ format: 'jwk' }),
      kid: `key-${this.#keyNumber}`,
      use: 'sig',
      alg: 'RS256',
    }
    const provider = withoutNotices(
      () =>
        new Provider(this.url, {
          jwks: { keys: [key] },
          cookies: { keys: [this.#cookieKey] },
          clients: [
            {
              client_id: client.id,
              client_secret: client.secret,
              redirect_uris: [client.redirectUri],
              post_logout_redirect_uris: [client.signedOut],
            },
          ],
          claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
          // Proxies pass the ID token alone, so it must contain the claims for rights.
          conformIdTokenClaims: false,
          ttl: {
            IdToken: () => this.lifetime,
            AccessToken: 600,
            Grant: 3600,
            Session: 3600,
            Interaction: 600,
          },
          findAccount: (_: unknown, id: string) => this.#account(id),
        }),
    )
    this.#listener = provider.callback()
  }

  async stop(): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, 'close')
  }

  #account(id: string) {
    const person = this.#people.find(({ name }) => name === id)
    if (!person) return undefined
    const claims = { sub: id, email: `${id}@example.com`, email_verified: true, groups: person.groups }
    return { accountId: id, claims: () => claims }
  }
}

/** Hides its notice at each start that its pages are for development, which is our use. */
function withoutNotices<T>(make: () => T): T {
  const { console: out } = globalThis
  const said = { info: out.info, warn: out.warn }
  Object.assign(out, { info: () => undefined, warn: () => undefined })
  try {
    return make()
  } finally {
    Object.assign(out, said)
  }
}

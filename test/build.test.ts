import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { bundle } from '../build.ts'
import { packagePathOf } from '../dependencies/lock.ts'
import { PROJECT } from './support/dormouse.ts'
import { runProgram } from './support/kubectl.ts'

describe('the bundle that the image runs', function () {
  this.timeout(180_000)
  let folder: string
  let files: string[]
  const file = (name: string) => join(folder, 'dist', name)

  before(async () => {
    // Outside the project: nothing is found in its node_modules.
    folder = await mkdtemp(join(tmpdir(), 'dormouse-bundle-'))
    files = await bundle(folder)
  })

  after(() => rm(folder, { recursive: true, force: true }))

  /** The transitive static imports of `name`, files and packages. */
  async function importedBy(
    name: string,
    found = { files: new Map<string, string>(), others: new Set<string>() },
  ) {
    const text = await readFile(file(name), 'utf8')
    found.files.set(name, text)
    for (const [, specifier = ''] of text.matchAll(
      /(?:^|[;}\n])(?:import|export)\s*(?:[\w${},*\s]+?from)?\s*"([^"]+)"/g,
    ))
      if (!specifier.startsWith('.')) found.others.add(specifier)
      else if (!found.files.has(join(dirname(name), specifier)))
        await importedBy(join(dirname(name), specifier), found)
    return found
  }

  it('says the version of the project', async () => {
    const { stdout } = await runProgram(process.execPath, [file('main.js'), '--version'])
    const { version } = JSON.parse(await readFile(join(PROJECT, 'package.json'), 'utf8')) as {
      version: string
    }
    expect(stdout.trim()).to.equal(version)
  })

  it('loads the service, and with it nothing from outside but Node', async () => {
    const [, service = ''] =
      /import\("\.\/(service-\w+\.js)"\)/.exec(await readFile(file('main.js'), 'utf8')) ?? []
    const { files, others } = await importedBy(service)
    const own = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]))
    expect([...others].filter((name) => !own.has(name))).to.deep.equal([])
    expect(files.size).to.be.above(2)
    // It takes 85 MB, and only auth providers of a kubeconfig need it.
    expect([...files].filter(([, text]) => text.includes('AppsV1Api')).map(([name]) => name)).to.deep.equal(
      [],
    )
    await import(pathToFileURL(file(service)).href)
  })

  it('has the licences of all packages that it has something of, also of those that bring no text', async () => {
    const text = await readFile(file('LICENSES.txt'), 'utf8')
    const named = new Set([...text.matchAll(/^(\S+) \d+\.\d+\.\S+ \(.*\)$/gm)].map(([, name]) => name))
    const used = files.flatMap((path) => packagePathOf(path) ?? [])
    const names = used.map((path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length))
    expect(names.filter((name) => !named.has(name))).to.deep.equal([])
    expect([...named]).to.include.members(['koa-compose', 'copy-to', 'stream-buffers', 'preact'])
  })

  it("has the console's files as they are sent, and the program that serves them finds them", async () => {
    const names = await readdir(file('page'))
    expect(names).to.include.members(['index.html', 'main.js', 'preact.js', 'style.css'])
    expect(names.filter((name) => name.endsWith('.ts'))).to.deep.equal([])
    // It looks for them relative to its own place.
    const serving: string[] = []
    for (const name of (await readdir(join(folder, 'dist'), { recursive: true })).filter((each) =>
      each.endsWith('.js'),
    ))
      if ((await readFile(file(name), 'utf8')).includes('"./page/"')) serving.push(dirname(name))
    expect(serving).to.deep.equal(['.'])
  })
})

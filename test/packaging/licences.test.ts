import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { licencesOf, licencesWithNode, nodeLicence } from '../../packaging/project.ts'
import { failureOf } from '../support/failure-of.ts'
import { PROJECT } from '../support/dormouse.ts'

describe('licences that go with what is published', () => {
  let folder: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dormouse-licences-'))
  })

  afterEach(() => rm(folder, { recursive: true, force: true }))

  async function aPackage(name: string, files: Readonly<Record<string, string>>): Promise<string> {
    const at = join(folder, name)
    await mkdir(at, { recursive: true })
    const texts = { 'package.json': JSON.stringify({ name, version: '1.2.3', license: 'MIT' }), ...files }
    for (const [file, text] of Object.entries(texts)) await writeFile(join(at, file), text)
    return at
  }

  it('are in full, the notices too', async () => {
    const one = await aPackage('one', { LICENSE: 'may be used', NOTICE: 'by somebody', 'index.js': '' })
    const two = await aPackage('two', { UNLICENSE: 'is of nobody' })
    const text = await licencesOf([two, one, one])
    expect(text).to.match(/^one 1\.2\.3 \(MIT\)\n\nmay be used\n\nby somebody\n\n-+\n\ntwo 1\.2\.3/)
    expect(text).to.include('is of nobody')
  })

  it('are ours to write where a package brings none', async () => {
    const text = await licencesOf(['node_modules/koa-compose', 'node_modules/copy-to'])
    expect(text.match(/Permission is hereby granted/g)).to.have.length(2)
    expect(text).to.include('Holowaychuk').and.include('dead_horse')
  })

  it('fail the build where a text is missing or empty, and name each package', async () => {
    const none = await aPackage('none', { NOTICE: 'a notice is no licence' })
    const empty = await aPackage('empty', { LICENSE: '\n' })
    const good = await aPackage('good', { LICENCE: 'may be used' })
    const failure = await failureOf(licencesOf([none, empty, good]), Error)
    expect(failure.message.split('\n')).to.deep.equal(
      ['empty', 'none'].map(
        (name) =>
          `${name} 1.2.3 (MIT) has no text of its licence, without which it may not be passed on: write it to packaging/licences/${name}.txt`,
      ),
    )
  })

  it('that we write are of packages that there are, and bring none', async () => {
    const written = await readdir(join(PROJECT, 'packaging/licences'), { recursive: true })
    const names = written.filter((file) => file.endsWith('.txt')).map((file) => file.slice(0, -'.txt'.length))
    expect(names).to.include('koa-compose')
    for (const name of names) {
      const files = await readdir(join(PROJECT, 'node_modules', name))
      expect(
        files.filter((file) => /licen[cs]e|copying/i.test(file)),
        name,
      ).to.deep.equal([])
    }
  })

  it('of an executable are also those of Node, V8, OpenSSL, ICU, libuv and zlib', async () => {
    const text = await licencesWithNode(['node_modules/commander'], process.execPath)
    expect(text).to.match(/^commander /)
    for (const part of ['Node.js is licensed', 'V8', 'OpenSSL', 'ICU', 'libuv', 'zlib'])
      expect(text, part).to.include(part)
  })

  it('of Node are found as its makers pack it, on Windows and elsewhere, and nowhere else', async () => {
    const text = await nodeLicence(process.execPath)
    await mkdir(join(folder, 'bin'))
    for (const program of ['bin/node', 'node.exe']) await writeFile(join(folder, program), '')
    await writeFile(join(folder, 'LICENSE'), text)
    for (const program of ['bin/node', 'node.exe'])
      expect(await nodeLicence(join(folder, program)), program).to.equal(text)
    await writeFile(join(folder, 'LICENSE'), await readFile(join(PROJECT, 'LICENSE'), 'utf8'))
    const { message } = await failureOf(nodeLicence(join(folder, 'bin/node')), Error)
    expect(message).to.include('the licences of Node are not beside').and.include(join(folder, 'LICENSE'))
  })
})

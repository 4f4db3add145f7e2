import { expect } from 'chai'
import { licenceFaults } from '../../dependencies/licences.ts'
import { lockOfProject, packagePathOf, productionPackages } from '../../dependencies/lock.ts'

const LOCK = JSON.stringify({
  packages: {
    '': { version: '1.0.0', license: 'Apache-2.0' },
    'node_modules/ours': { version: '1.0.0', license: 'MIT' },
    'node_modules/ours/node_modules/@their/copy': { version: '2.0.0', license: 'GPL-3.0' },
    'node_modules/nameless': { version: '3.0.0' },
    'node_modules/either': { version: '4.0.0', license: 'MIT OR GPL-3.0' },
    'node_modules/tool': { version: '5.0.0', license: 'GPL-3.0', dev: true },
    // Needed by development, and by production where it can be had.
    'node_modules/both': { version: '6.0.0', license: 'AGPL-3.0', devOptional: true },
  },
})

describe('the licences of the packages of production', () => {
  it('are all allowed', async () => {
    const packages = productionPackages(await lockOfProject())
    expect(packages.map(({ name }) => name)).to.include.members(['koa', 'ajv', 'undici'])
    expect(packages.map(({ name }) => name)).to.not.include.members(['mocha', 'typescript'])
    expect(licenceFaults(packages)).to.deep.equal([])
  })

  it('that are not allowed are named with their package: a nested one, none at all, and a choice', () => {
    const faults = licenceFaults(productionPackages(LOCK)).map((line) => line.split(' is not among ')[0])
    expect(faults).to.deep.equal([
      '@their/copy@2.0.0: GPL-3.0',
      'nameless@3.0.0: no licence',
      'either@4.0.0: MIT OR GPL-3.0',
      'both@6.0.0: AGPL-3.0',
    ])
  })

  it('are those of the package that a file belongs to', () => {
    expect(packagePathOf('src/main.ts')).to.equal(undefined)
    expect(packagePathOf('node_modules/koa/lib/application.js')).to.equal('node_modules/koa')
    expect(packagePathOf('../node_modules/a/node_modules/@b/c/d/e.js')).to.equal(
      'node_modules/a/node_modules/@b/c',
    )
  })
})

import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { expect } from 'chai'
import { PROJECT } from './support/dormouse.ts'

const COMMENTS = /\/\*[\s\S]*?\*\//g

describe('the ports', () => {
  for (const file of globSync('src/**/ports.ts', { cwd: PROJECT })) {
    it(`of ${file} are types alone: who serves them depends on no code of the room that asks`, () => {
      const code = stripTypeScriptTypes(readFileSync(join(PROJECT, file), 'utf8'))
      expect(code.replace(COMMENTS, '').trim()).to.equal('')
    })
  }
})

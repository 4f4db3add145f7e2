import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'

const SOURCE = join(import.meta.dirname, '../../src')
const LOADS = `
  import { registerHooks } from 'node:module'
  const loaded = []
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
  await import(process.argv[1])
  console.log(JSON.stringify(loaded))`

/** All that is loaded with a file, as URLs. */
async function loadedWith(file: string): Promise<string[]> {
  const options = ['--input-type=module', '--eval', LOADS, join(SOURCE, file)]
  const { stdout } = await promisify(execFile)(process.execPath, options)
  return JSON.parse(stdout) as string[]
}

describe('the modules that the client loads', () => {
  it('include neither the validator nor schemas unless a state is read', async () => {
    for (const file of ['cli/people/program.ts', 'client/http/http-dormouse.ts', 'client/commands/list.ts']) {
      const loaded = await loadedWith(file)
      expect(loaded.join('\n')).to.include(file)
      expect(
        loaded.filter((url) => /node_modules.ajv|domain.(json-schema|validation)/.test(url)),
      ).to.deep.equal([])
    }
  })

  it('include undici only where a kubeconfig names a proxy: to load it takes longer than the calls of a command', async () => {
    for (const file of ['client/http/http-dormouse.ts', 'client/cluster/cluster-dormouse.ts']) {
      const loaded = await loadedWith(file)
      expect(loaded.join('\n')).to.include(file)
      expect(loaded.filter((url) => url.includes('/undici/'))).to.deep.equal([])
    }
  })

  it('include records without their schemas', async () => {
    const loaded = await loadedWith('domain/records/record.ts')
    expect(loaded.join('\n')).to.include('domain/workload/state-codec.ts')
    expect(loaded.filter((url) => url.endsWith('records/shape.ts'))).to.deep.equal([])
  })
})

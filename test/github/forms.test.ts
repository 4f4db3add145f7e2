import { access, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { PROJECT } from '../support/dormouse.ts'

interface Form {
  readonly name: string
  readonly description: string
  readonly body: readonly { readonly type: string; readonly id?: string; readonly attributes: object }[]
}

interface Updates {
  readonly version: number
  readonly updates: readonly {
    readonly 'package-ecosystem': string
    readonly directory: string
    readonly ignore?: readonly { readonly 'dependency-name': string }[]
    readonly groups?: Readonly<Record<string, { readonly 'exclude-patterns'?: readonly string[] }>>
  }[]
}

const GITHUB = join(PROJECT, '.github')
const yaml = async (path: string): Promise<unknown> => parse(await readFile(join(GITHUB, path), 'utf8'))

describe('what GitHub is told', () => {
  it('issue forms have what GitHub demands of them', async () => {
    const files = (await readdir(join(GITHUB, 'ISSUE_TEMPLATE'))).filter((file) => file !== 'config.yml')
    expect(files).to.have.members(['bug.yaml', 'feature.yaml'])
    for (const file of files) {
      const { name, description, body } = (await yaml(`ISSUE_TEMPLATE/${file}`)) as Form
      expect(
        [name, description].every((text) => text.length > 0 && text.length <= 200),
        file,
      ).to.equal(true)
      const ids = body.flatMap(({ id }) => id ?? [])
      expect(new Set(ids).size, `${file}: ids`).to.equal(ids.length)
      for (const { type, attributes } of body) {
        expect(type, file).to.be.oneOf(['markdown', 'textarea', 'input', 'dropdown', 'checkboxes'])
        expect(attributes, file).to.have.property(type === 'markdown' ? 'value' : 'label')
      }
    }
  })

  it('pages that it links to in this project are there', async () => {
    const { contact_links: links } = (await yaml('ISSUE_TEMPLATE/config.yml')) as {
      contact_links: { url: string }[]
    }
    const pages = links.flatMap(({ url }) => url.split('/blob/main/')[1] ?? [])
    expect(pages).not.to.deep.equal([])
    for (const page of pages) await access(join(PROJECT, page))
  })

  it('dependency updates cover npm, the image and the actions, and name packages that there are', async () => {
    const { version, updates } = (await yaml('dependabot.yml')) as Updates
    expect(version).to.equal(2)
    const ecosystems = updates.map((update) => update['package-ecosystem'])
    expect(ecosystems).to.have.members(['npm', 'docker', 'github-actions'])
    const packages = JSON.parse(await readFile(join(PROJECT, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>
      devDependencies: Record<string, string>
    }
    const known = Object.keys({ ...packages.dependencies, ...packages.devDependencies })
    const npm = updates.find((update) => update['package-ecosystem'] === 'npm')
    const ignored = (npm?.ignore ?? []).map((entry) => entry['dependency-name'])
    const excluded = Object.values(npm?.groups ?? {}).flatMap((group) => group['exclude-patterns'] ?? [])
    expect(known).to.include.members([...ignored, ...excluded])
  })
})

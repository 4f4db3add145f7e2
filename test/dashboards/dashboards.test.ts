import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { generated } from '../../dashboards/generated.ts'
import { PROJECT } from '../support/dormouse.ts'
import { dashboardJson, filledIn, NAMES, queriesOf, type PanelJson } from './panels.ts'
import { typesOfMetrics } from './told.ts'

/** Series with workloads' names, for small clusters and special queries. */
const NOT_SHOWN = ['dormouse_workload_asleep']

const OURS = /\b(?:dormouse|process|nodejs)_\w+/g
const queries = NAMES.flatMap((name) => queriesOf(name))

/** The names of series: a histogram has three. */
function seriesOf([name, type]: [string, string]): string[] {
  return type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name]
}

describe('the dashboards', () => {
  it('in the chart are what the sources make (npm run dashboards)', () => {
    for (const [path, text] of generated()) expect(readFileSync(join(PROJECT, path), 'utf8')).to.equal(text)
  })

  it('query only metrics that exist', async () => {
    const known = new Set([...(await typesOfMetrics())].flatMap(seriesOf))
    const asked = queries.flatMap(({ expr }) => expr.match(OURS) ?? [])
    expect(asked.filter((name) => !known.has(name))).to.deep.equal([])
  })

  it('show every metric, except those that are left out on purpose', async () => {
    const shown = new Set(queries.flatMap(({ expr }) => expr.match(OURS) ?? []))
    const hidden = [...(await typesOfMetrics())].filter(
      ([name, type]) =>
        name.startsWith('dormouse_') && !seriesOf([name, type]).some((each) => shown.has(each)),
    )
    expect(hidden.map(([name]) => name)).to.deep.equal(NOT_SHOWN)
  })

  it('ask of the chosen clusters alone, of all where there is no such label, and add no cluster to another by max', () => {
    for (const { panel, expr } of queries) {
      const ours = expr.match(/\bdormouse_\w+(?:\{[^}]*\})?/g) ?? []
      for (const each of ours) expect(each, panel).to.include('{cluster=~"$cluster"')
      expect(ours, panel).to.have.length.above(0)
    }
    for (const name of NAMES) {
      const all = dashboardJson(name).templating.list.find((each) => each.name === 'cluster')
      expect(all).to.deep.include({ includeAll: true, allValue: '.*', multi: true })
    }
  })

  it('link to each other, and have addresses of their own', () => {
    const dashboards = NAMES.map((name) => dashboardJson(name))
    expect(dashboards.map(({ uid }) => uid)).to.deep.equal(['dormouse-overview', 'dormouse-operations'])
    for (const { links, tags, description } of dashboards) {
      expect(links).to.have.length(1)
      expect(links[0]).to.include({ type: 'dashboards', keepTime: true, includeVars: true })
      expect(tags).to.include.members([...(links[0]?.tags ?? [])])
      expect(description).to.not.equal('')
    }
  })

  for (const name of NAMES) {
    describe(name, () => {
      const { panels, templating } = dashboardJson(name)
      const variables = templating.list.map(({ name }) => name)
      const shown = panels.filter(({ type }) => type !== 'row')

      it('lets the data source, the clusters and the namespaces be chosen, and uses no other variables', () => {
        expect(variables).to.include.members(['datasource', 'cluster', 'namespace'])
        const known = ['cluster', 'namespace', '__rate_interval', '__range']
        const values = Object.fromEntries(known.map((each) => [each, '1']))
        for (const { expr } of queriesOf(name)) filledIn(expr, values)
      })

      it('has a title, a description, a unit and thresholds on every panel', () => {
        for (const { title, description, fieldConfig, targets } of shown) {
          expect(title).to.not.equal('')
          expect(description, title).to.match(/^\S.{20,}[.)]$/s)
          expect(fieldConfig?.defaults.unit, title).to.be.a('string').and.not.equal('')
          expect(fieldConfig?.defaults.thresholds?.steps, title).to.have.length.above(0)
          expect(targets, title).to.have.length.above(0)
        }
      })

      it('has an id and a title of its own for each panel', () => {
        const ids = panels.map(({ id }) => id)
        expect(ids.every((id) => Number.isInteger(id) && id > 0)).to.equal(true)
        expect(new Set(ids).size).to.equal(ids.length)
        expect(new Set(panels.map(({ title }) => title)).size, 'titles').to.equal(panels.length)
      })

      it('fills its lines, and no panel lies on another', () => {
        for (const [index, panel] of panels.entries()) {
          const { x, w } = panel.gridPos
          expect(x + w, panel.title).to.be.at.most(24)
          for (const other of panels.slice(index + 1))
            expect(overlap(panel, other), `${panel.title} and ${other.title}`).to.equal(false)
        }
        const area = panels.reduce((sum, { gridPos: { w, h } }) => sum + w * h, 0)
        expect(area, 'what is covered').to.equal(24 * Math.max(...panels.map(bottom)))
      })
    })
  }

  it('are named as docs/alerts.md names their panels', () => {
    const page = readFileSync(join(PROJECT, 'docs', 'alerts.md'), 'utf8')
    const titles = NAMES.flatMap((name) => dashboardJson(name).panels.map(({ title }) => title))
    const named = page.match(/(?<=\s)_[A-Z][^_]+_/g)?.map((name) => name.slice(1, -1)) ?? []
    const dashboards = NAMES.map((name) => dashboardJson(name).title)
    expect(named).to.have.length.above(5)
    for (const name of named) expect([...titles, ...dashboards]).to.include(name)
  })
})

function bottom({ gridPos: { y, h } }: PanelJson): number {
  return y + h
}

function overlap({ gridPos: a }: PanelJson, { gridPos: b }: PanelJson): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h
}

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { typesOfMetrics } from '../dashboards/told.ts'
import { PROJECT } from '../support/dormouse.ts'
import { itWith } from '../suite/need.ts'
import { promtool } from '../support/promtool.ts'

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<'summary' | 'description' | 'runbook_url', string>>
}

interface Case {
  readonly name: string
  readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts: readonly object[] }[]
}

const FILE = join(PROJECT, 'charts', 'dormouse', 'alerts.yaml')
const RUNBOOKS = 'https://github.com/dormouse-dev/dormouse/blob/main/docs/alerts.md'
const { groups } = parse(readFileSync(FILE, 'utf8')) as { groups: { name: string; rules: Rule[] }[] }
const rules = groups.flatMap(({ rules }) => rules)
const alerts = rules.map(({ alert }) => alert)

const TESTS = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.yaml'))
const cases = TESTS.flatMap(
  (name) => (parse(readFileSync(join(import.meta.dirname, name), 'utf8')) as { tests: Case[] }).tests,
)

describe('the alerts', () => {
  for (const name of TESTS) {
    itWith(promtool, `fire and stay silent as ${name} says`, (run) => {
      const { code, stdout, stderr } = run(['test', 'rules', name], { cwd: import.meta.dirname })
      expect(code, `${stdout}${stderr}`).to.equal(0)
    })
  }

  it('have each a test in which they fire, and one in which they stay silent', () => {
    for (const alert of alerts) {
      const own = cases.filter(({ name }) => name.startsWith(`${alert} `))
      const expected = own.map(({ name, alert_rule_test: checks }) => ({
        fires: name.startsWith(`${alert} fires`),
        found: checks.some(({ alertname, exp_alerts }) => alertname === alert && exp_alerts.length > 0),
        looked: checks.some(({ alertname }) => alertname === alert),
      }))
      expect(expected.filter(({ fires }) => fires).length, `${alert} fires`).to.be.above(0)
      expect(expected.filter(({ fires }) => !fires).length, `${alert} stays silent`).to.be.above(0)
      for (const { fires, found, looked } of expected) {
        expect(looked, alert).to.equal(true)
        expect(found, alert).to.equal(fires)
      }
    }
    const known = cases.filter(({ name }) => alerts.some((alert) => name.startsWith(`${alert} `)))
    expect(known).to.have.length(cases.length)
  })

  for (const { alert, expr, labels, annotations } of rules) {
    it(`${alert} says how bad it is, what it means and what to do first`, () => {
      expect(alert).to.match(/^Dormouse[A-Z]\w+$/)
      expect(labels).to.have.keys('severity')
      expect(labels['severity']).to.be.oneOf(['critical', 'warning'])
      expect(annotations).to.have.keys('summary', 'description', 'runbook_url')
      expect(annotations.summary.length).to.be.within(10, 140)
      expect(annotations.description).to.include('First: ')
      expect(annotations.runbook_url).to.equal(`${RUNBOOKS}#${alert.toLowerCase()}`)
      expect(expr, 'labels of one installation').to.not.match(/\b(job|namespace|instance|pod|service)\s*[=!]/)
    })
  }

  it('have each a fault that a running program meets: provocations.ts has them', () => {
    const sources = ['provocations.ts', 'running.test.ts', 'unreachable.test.ts']
    const texts = sources.map((name) => readFileSync(join(import.meta.dirname, name), 'utf8')).join()
    expect(alerts.filter((alert) => !texts.includes(`'${alert}'`))).to.deep.equal([])
  })

  it('look at nothing that is not told', async () => {
    const told = await typesOfMetrics()
    const asked = rules.flatMap(({ expr }) => expr.match(/dormouse_\w+/g) ?? [])
    expect(asked.map((name) => name.replace(/_bucket$/, '')).filter((name) => !told.has(name))).to.deep.equal(
      [],
    )
  })

  it('have each a runbook, and no runbook is without its alert', () => {
    const page = readFileSync(join(PROJECT, 'docs', 'alerts.md'), 'utf8')
    const sections = page.split(/^## /m).slice(1)
    const runbooks = sections.filter((section) => section.startsWith('Dormouse'))
    expect(runbooks.map((section) => section.slice(0, section.indexOf('\n')))).to.deep.equal(alerts)
    const parts = [
      /\*\*Meaning\.\*\*/,
      /\*\*Impact\.\*\*/,
      /\*\*Look( and mend)?\.\*\*/,
      /\*\*(Mend|Look and mend)\.\*\*/,
    ]
    for (const section of runbooks) for (const part of parts) expect(section).to.match(part)
  })
})

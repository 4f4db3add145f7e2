import { expect } from 'chai'
import {
  joined,
  scaledName,
  scopeOf,
  twinsOf,
  writtenScope,
  type HeldScope,
} from '../../../src/kubernetes/registration/held-scope.ts'

const many = (count: number, namespace: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => `deployments/${namespace(at)}/web-${at}`)

describe('the scope of what is held', () => {
  it('names workloads as scale reviews do, without the group of a configured kind', () => {
    expect(scaledName({ kind: 'deployments', namespace: 'shop', name: 'web' })).to.equal(
      'deployments/shop/web',
    )
    expect(scaledName({ kind: 'rollouts.argoproj.io', namespace: 'shop', name: 'web' })).to.equal(
      'rollouts/shop/web',
    )
  })

  it('lists up to 500 workloads, sorted and each once', () => {
    expect(scopeOf(['b/n/x', 'a/n/x', 'b/n/x'])).to.deep.equal({
      type: 'workloads',
      names: ['a/n/x', 'b/n/x'],
    })
    expect(scopeOf(many(500, () => 'shop'))).to.have.property('type', 'workloads')
  })

  it('names their namespaces past 500, or past what the API server parses', () => {
    expect(scopeOf(many(501, (at) => (at % 2 === 0 ? 'shop' : 'blog')))).to.deep.equal({
      type: 'namespaces',
      names: ['blog', 'shop'],
    })
    const long = Array.from({ length: 240 }, (_, at) => `deployments/shop/${String(at).padStart(253, 'x')}`)
    expect(scopeOf(long)).to.deep.equal({ type: 'namespaces', names: ['shop'] })
  })

  it('is everything past 500 namespaces', () => {
    expect(scopeOf(many(501, (at) => `team-${at}`))).to.deep.equal({ type: 'all' })
  })

  const LISTED = scopeOf(['deployments/shop/web'])
  const NAMESPACES: HeldScope = { type: 'namespaces', names: ['blog'] }
  const ALL: HeldScope = { type: 'all' }

  it('joined with another has both', () => {
    expect(joined(LISTED, scopeOf(['deployments/blog/api']))).to.deep.equal(
      scopeOf(['deployments/blog/api', 'deployments/shop/web']),
    )
    expect(joined(LISTED, NAMESPACES)).to.deep.equal({ type: 'namespaces', names: ['blog', 'shop'] })
    expect(joined(NAMESPACES, ALL)).to.deep.equal(ALL)
    expect(joined(scopeOf(many(300, () => 'a')), scopeOf(many(300, () => 'b')))).to.deep.equal({
      type: 'namespaces',
      names: ['a', 'b'],
    })
  })

  it('is read back as it was written', () => {
    const chosen = [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['shop', 'blog'] }]
    for (const scope of [LISTED, scopeOf(many(500, () => 'shop')), NAMESPACES, ALL]) {
      const { held } = twinsOf(scope)
      const written = (others: readonly object[]) =>
        writtenScope({
          matchConditions: [
            { name: 'not-exempt', expression: "!('me' in ['deployments/not/this'])" },
            ...(held?.matchConditions ?? []),
          ],
          namespaceSelector: { matchExpressions: [...(held?.namespaces ?? []), ...others] },
        })
      expect(written([])).to.deep.equal(scope)
      if (scope !== ALL)
        expect(written(chosen), 'beside a selection of the configuration').to.deep.equal(scope)
    }
    expect(writtenScope(undefined)).to.deep.equal(scopeOf([]))
  })

  it('divides scalings: one of the two is the exact opposite of the other', () => {
    expect(twinsOf(scopeOf([])), 'nothing is held').to.include({ held: undefined })
    expect(twinsOf(ALL), 'all may be held').to.include({ others: undefined })
    const [held, others] = [twinsOf(LISTED).held, twinsOf(LISTED).others]
    expect(others?.matchConditions[0]?.expression).to.equal(`!(${held?.matchConditions[0]?.expression})`)
    const selectors = twinsOf(NAMESPACES)
    expect(selectors.held?.namespaces[0]).to.deep.equal({
      ...selectors.others?.namespaces[0],
      operator: 'In',
    })
    expect(selectors.others?.namespaces[0]).to.include({ operator: 'NotIn' })
  })
})

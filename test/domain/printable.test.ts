import { expect } from 'chai'
import { about } from '../../src/domain/admission/messages.ts'
import { printable } from '../../src/process/printable.ts'

const HOSTILE = 'a\u001B[2J\u0007\u009Bm\r\nb\u202Ec\u2066d\u200Fe\u2028f\u2029g'

describe('texts of others in ours', () => {
  it('steer no terminal and turn no direction; what else they say stays, in place', () => {
    expect(printable(HOSTILE)).to.equal('a [2J  m  b c d e f g')
    expect(printable('grün 😴 עברית')).to.equal('grün 😴 עברית')
  })

  it('nor do warnings and denials of the webhook', () => {
    const key = { kind: 'deployments', namespace: 'shop', name: 'web' } as const
    expect(about(key, `: found '${HOSTILE}'`)).to.equal(
      "Dormouse: deployment shop/web: found 'a [2J  m  b c d e f g'",
    )
  })
})

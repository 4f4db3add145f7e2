import type { KnockAnswer } from '../../../src/domain/traffic/knock.ts'
import { pageListener, type PageOptions } from '../../../src/waker/page/page-listener.ts'
import type { SleepingPort } from '../../../src/waker/ports.ts'
import { BUILT_IN } from '../../../src/waker/page/texts.ts'
import { httpServer } from '../../support/http-server.ts'

/** Monday, 30 November 2026, 03:00 in UTC. */
export const NOW = Date.UTC(2026, 10, 30, 3)
export const WEB: SleepingPort = { namespace: 'shop', service: 'web', port: 'http', mode: 'page' }

/** Dormouse's answer for `web`, asleep until 07:00 in UTC. */
export function anAnswer(changes: Partial<KnockAnswer> = {}): KnockAnswer {
  const state = changes.state ?? 'asleep'
  return {
    state,
    woken: false,
    until: state === 'asleep' ? '2026-11-30T07:00:00Z' : null,
    late: false,
    usual_seconds: 38,
    workloads: [{ kind: 'deployments', name: 'web', state, reason: 'asleep since 20:00 by its schedule' }],
    ...changes,
  }
}

/** The page of a Service on a server of its own, and what it asked of Dormouse. */
export function aSleeper(changes: Partial<PageOptions> = {}, port: SleepingPort = WEB) {
  const asked: ('look' | 'wake')[] = []
  const sleeper = { asked, answer: anAnswer() as KnockAnswer | undefined | Error, port }
  const listen = pageListener({
    texts: BUILT_IN,
    details: false,
    ignoreAgents: [],
    clock: () => NOW,
    ...changes,
  })
  const told = async (what: 'look' | 'wake') => {
    asked.push(what)
    if (sleeper.answer instanceof Error) throw sleeper.answer
    return sleeper.answer
  }
  const knocking = { look: () => told('look'), wake: () => told('wake') }
  const server = httpServer((req, res) => listen(sleeper.port, knocking, req, res))
  beforeEach(() => {
    asked.length = 0
    sleeper.answer = anAnswer()
    sleeper.port = port
  })
  return Object.assign(sleeper, { url: () => server.url })
}

import { policyOf, type Config } from '../config.ts'
import type { Rules } from '../domain/rules.ts'
import { ScheduleCompiler } from '../domain/schedule/schedule.ts'

/** The domain's rules under a configuration; equal schedules are compiled once. */
export function rulesOf(config: Config): Rules {
  const compiler = new ScheduleCompiler()
  return { policy: policyOf(config), compile: (text, zone) => compiler.compile(text, zone) }
}

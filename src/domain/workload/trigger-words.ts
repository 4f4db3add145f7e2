import { isKnown, TRIGGER, TRIGGERS, type Operation } from './state.ts'

/** Why nobody but Dormouse did something: `by its schedule`. A later release's trigger is shown as it is. */
export function causeOfTrigger(trigger: Operation['trigger']): string {
  return isKnown(TRIGGERS, trigger) ? TRIGGER[trigger].cause : trigger
}

/** How somebody did it, behind the name: `, on request`. */
export function howOfTrigger(trigger: Operation['trigger']): string {
  return isKnown(TRIGGERS, trigger) ? `, ${TRIGGER[trigger].how}` : ` (${trigger})`
}

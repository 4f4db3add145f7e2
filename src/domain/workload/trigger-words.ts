import { isKnown, TRIGGERS, type Operation, type Trigger } from './state.ts'

/** Why Dormouse did it by itself. */
const CAUSE: Readonly<Record<Trigger, string>> = {
  schedule: 'by its schedule',
  api: 'on request',
  manual: 'after a scaling',
  deploy: 'after a deploy',
  pin: 'to keep its pin',
  disable: 'since nothing enables it any longer',
  recovery: 'to put it right',
  unsigned: 'since its state was not signed',
}

/** Behind the name of who did it; enabling and disabling are requests, too. */
const HOW: Readonly<Record<Trigger, string>> = {
  schedule: 'on request',
  api: 'on request',
  manual: 'by scaling',
  deploy: 'by a deploy',
  pin: 'on request',
  disable: 'on request',
  recovery: 'on request',
  unsigned: 'on request',
}

/** Why nobody but Dormouse did something: `by its schedule`. A later release's trigger is shown as it is. */
export function causeOfTrigger(trigger: Operation['trigger']): string {
  return isKnown(TRIGGERS, trigger) ? CAUSE[trigger] : trigger
}

/** How somebody did it, behind the name: `, on request`. */
export function howOfTrigger(trigger: Operation['trigger']): string {
  return isKnown(TRIGGERS, trigger) ? `, ${HOW[trigger]}` : ` (${trigger})`
}

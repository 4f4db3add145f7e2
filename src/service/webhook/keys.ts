import type { Workload } from '../../domain/workload/workload.ts'
import type { Deciding } from './deciding.ts'
import { Unread } from './review.ts'

/** Resolves once it can be judged who wrote a state: at once, but for one of a key made just now. @throws Unread */
export async function lookForKey(
  workload: Pick<Workload, 'annotations'>,
  { lookForKey: look, logger }: Pick<Deciding, 'lookForKey' | 'logger'>,
): Promise<void> {
  try {
    await look?.(workload)
  } catch (err) {
    logger.warn({ err }, 'the keys of states could not be read')
    throw new Unread('unchecked', 'the key that signed its dormouse.dev/state could not be read. Try again')
  }
}

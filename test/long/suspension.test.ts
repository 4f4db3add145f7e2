import { suspendedLeader } from '../e2e/suspension.ts'
import { describeOn } from '../support/clusters.ts'

/** How long the leader is suspended; ten minutes unless it is set. */
const SECONDS = Number(process.env['DORMOUSE_TEST_SUSPENDED_SECONDS'] ?? 600)

describeOn(`a leader that is suspended for ${SECONDS} s`, (on) => suspendedLeader(on, SECONDS * 1000))

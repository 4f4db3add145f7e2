import { describeOn } from '../support/clusters.ts'
import { suspendedLeader } from './suspension.ts'

describeOn('a leader that is suspended across an edge', (on) => suspendedLeader(on, 0))

import { rotatesUnderLoad } from '../e2e/rotation.ts'
import { describeOn } from '../support/clusters.ts'

describeOn('certificates that change under load, for a minute', (on) => rotatesUnderLoad(on, 60))

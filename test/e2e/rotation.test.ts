import { describeOn } from '../support/clusters.ts'
import { rotatesUnderLoad } from './rotation.ts'

describeOn('certificates that change under load', (on) => rotatesUnderLoad(on, 12))

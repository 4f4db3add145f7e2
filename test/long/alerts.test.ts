import { late } from '../alerts/provocations.ts'
import { alertsComeUp } from '../alerts/running.ts'

describe('the alerts that take their time, from the running program,', () => alertsComeUp([late]))

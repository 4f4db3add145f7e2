import { once } from 'node:events'
import { controlPlanePrograms } from './build.ts'
import { startControlPlane } from './control-plane.ts'

const say = (line: string) => process.stdout.write(`${line}\n`)
const programs = await controlPlanePrograms((line) => process.stderr.write(`${line}\n`))
const began = performance.now()
const plane = await startControlPlane({ programs })
say(`a control plane runs at ${plane.url} (ready in ${((performance.now() - began) / 1000).toFixed(1)} s)`)
say(`Dormouse's account:  ${await plane.dormouseKubeconfig()}`)
say(`its audit log:       ${plane.auditLog}`)
say(`logs:                ${plane.directory}/*.log`)
say('')
say(`export KUBECONFIG=${plane.adminKubeconfig}`)
say('')
say('Ctrl-C stops it.')
// Signals do not keep a process alive; this does.
const alive = setInterval(() => {}, 60_000)
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
clearInterval(alive)
await plane.stop()

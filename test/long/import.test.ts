import { keepsEveryCount, type Cell } from '../e2e/import-cells.ts'
import { inAnOldCluster, policiesOf } from '../e2e/old-cluster.ts'
import { takenOver } from '../e2e/taken-over.ts'
import { TOOLS, type Tool } from '../import/plan/recording.ts'
import { describeOn } from '../support/clusters.ts'

for (const tool of ['gokubedownscaler', 'py-kube-downscaler'] as const)
  describeOn(`import of what ${tool} left asleep`, (on) =>
    takenOver(inAnOldCluster(on, tool, policiesOf(tool))),
  )

const CELLS = (['asleep', 'awake', 'edge'] as const).flatMap((hour) =>
  (['0s', '15m'] as const).flatMap((grace) =>
    (['before', 'after'] as const).map((policy): Cell => ({ hour, grace, policy })),
  ),
)
/** At ten instants, each in a cell of its own, and all in one; the short recording has no more than some ten writes. */
const KILLS = {
  short: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  long: [1, 2, 3, 5, 8, 12, 18, 25, 33, 42],
} as const
const killed = (tool: Tool): Cell[] => {
  const instants = KILLS[tool === 'gokubedownscaler-main' ? 'short' : 'long']
  const each = [...instants.map((writes) => [writes]), instants]
  return each.map((kills) => ({ hour: 'asleep', grace: '0s', policy: 'before', kills }))
}

for (const tool of TOOLS)
  describeOn(`import of what ${tool} left asleep, at any hour,`, (on) =>
    keepsEveryCount(inAnOldCluster(on, tool), [...CELLS, ...killed(tool)]),
  )

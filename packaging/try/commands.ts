/** One command as a person types it, without the program, and the exit code that it ends with. */
export interface Line {
  readonly typed: string
  readonly code: 0 | 1 | 2 | 130
  /** It goes on until it is interrupted. */
  readonly isEndless?: true
  /** It acts on several workloads, and prints a line of each once that one is done. */
  readonly isAsDone?: true
}

/** Lines that run one after the other in a namespace of their own, on new workloads. */
export interface Story {
  readonly namespace: string
  readonly lines: readonly Line[]
}

const OUTPUTS = ['', '-o wide', '-o name', '-o json', '-o yaml'] as const
const DATA = ['', '-o json', '-o yaml'] as const
const NEITHER = ['-o wide', '-o name'] as const

const line = (typed: string, code: Line['code'] = 0): Line => ({ typed: typed.trim(), code })
const inEach = (outputs: readonly string[], typed: string, code: Line['code'] = 0) =>
  outputs.map((output) => line(`${typed} ${output}`, code))
const endless = (typed: string): Line => ({ ...line(typed), isEndless: true })
const asDone = (typed: string): Line => ({ ...line(typed), isAsDone: true })

/** Hours in UTC that have begun, or that have ended, and do not change for longer than any request of these lasts. */
function hoursFrom(shift: number): string {
  const hour = new Date().getUTCHours() + 24
  return `${(hour + shift) % 24}:00-${(hour + shift + 13) % 24}:00`
}
/** In all programs alike: an edge between two of them, or before the end of a request, would be a difference. */
export const AWAKE = hoursFrom(-5)
const ASLEEP = hoursFrom(7)

/** Every command that changes a workload, in one output each: what it prints, and what it leaves for the next one. */
const acting = (output: string): Story => ({
  namespace: `acting-${output.slice(3) || 'for-people'}`,
  lines: [
    line(`enable deploy/web --schedule ${AWAKE} --timezone UTC ${output}`),
    line(`snooze web --for 2h --wait ${output}`),
    line(`wake web --for 4h ${output}`),
    line(`pin web ${output}`),
    line(`unpin web ${output}`),
    line(`override web --for 6h ${output}`),
    line(`resume web ${output}`),
    line(`schedule web --none ${output}`),
    line(`disable web ${output}`),
  ],
})

/** Commands that are refused, tried or meant for many. */
const OTHERWISE: Story = {
  namespace: 'acting-otherwise',
  lines: [
    line('snooze web', 1),
    line('snooze web -o yaml', 1),
    line('enable web db --dry-run -o yaml'),
    asDone('enable --all --yes'),
    line('snooze --all --yes --dry-run -o yaml'),
    line('snooze -l app=web --yes'),
    line('wake --all --until tomorrow --yes -o yaml'),
    line('pin web'),
    line('snooze web', 1),
    line('wake web nosuch -o json', 1),
    line('unpin web'),
    line('disable --all --yes -o name'),
  ],
}

/** Read by `READING`; the lines that arrange it come first. */
export const READ: Story = {
  namespace: 'reading',
  lines: [
    line(`enable web --schedule ${ASLEEP} --timezone UTC`),
    line(`enable sts/db --schedule ${AWAKE} --timezone UTC`),
    line('enable nightly'),
    line('pin sts/db'),
  ],
}

/** Commands that change nothing, in the namespace of `READ`. */
export const READING: readonly Line[] = [
  ...inEach(OUTPUTS, 'list'),
  line('list -l app=web'),
  line('list -A --no-headers'),
  line('list deploy --state asleep -o yaml'),
  endless('list -w'),
  endless('list -w -o yaml'),
  ...inEach(OUTPUTS, 'why web'),
  ...inEach(['', '-o yaml'], 'why deploy/web sts/db cj/nightly'),
  ...inEach(OUTPUTS, 'status web'),
  ...inEach(DATA, 'plan web'),
  line('plan web db --hours 336 -o yaml'),
  ...inEach(NEITHER, 'plan web', 2),
  ...inEach(DATA, 'savings -A'),
  line('savings -A --by team', 1),
  ...inEach(NEITHER, 'savings', 2),
  line('list -A --contexts dormouse-* -o yaml'),
  line('why web --contexts dormouse-*'),
  line('list -o name --contexts dormouse-*', 2),
  endless('status web -w'),
  endless('status web -w -o yaml'),
  line('list -o xml', 2),
  line('list nosuch', 2),
  line('list -n nosuch', 1),
  line('list --context nosuch', 1),
  line('why nosuch', 1),
  line('why web nosuch -o yaml', 1),
  line('why', 2),
  line('wake', 2),
  line('wake deploy web --dry-run -o name'),
  line('wake web --all --shorten --for 1h', 2),
  line('wake web --for soon', 2),
  line('enable web --schedule 8-18', 2),
  line('wake --all', 2),
  endless('console --no-open'),
  line('console --port nosuch', 2),
  line('check config.yaml'),
  line('check config.yaml -o json'),
  line('check config.yaml --against-cluster'),
  line(`check config.yaml --at 'mon 21:00' -o json`),
  line('check wrong.yaml', 2),
  line('check nosuch.yaml', 2),
  ...inEach(DATA, 'version'),
  ...inEach(NEITHER, 'version', 2),
  line('version --client'),
  line('version -o json'),
  line('version -o yaml'),
  line('version -o wide', 2),
  line('version -o name', 2),
  line(`__complete wake ''`),
  line(`__complete list -n ''`),
  line(`__complete why web --output ''`),
  line('list --help'),
  line('import --help'),
]

/** Over the service's API, with its token. */
export const OVER_HTTP: Story = {
  namespace: 'over-http',
  lines: [
    `enable deploy/web --schedule ${AWAKE} --timezone UTC`,
    'list',
    'list -o json',
    'why web -o yaml',
    'plan web -o yaml',
    'snooze web -o yaml',
    'wake web -o json',
    'savings -o yaml',
  ].map((typed) => line(`${typed} --server $SERVER`)),
}

export const ACTING: readonly Story[] = [...OUTPUTS.map(acting), OTHERWISE]

/** Another tool's recording (test/import/plan/recordings), and the lines that take it over. */
export interface Taken {
  readonly recording: string
  readonly lines: readonly Line[]
}

/** One after the other, since each reads the whole cluster. The sandbox has the policies that the downscalers' hours become. */
export const TAKEN: readonly Taken[] = [
  {
    recording: 'py-kube-downscaler',
    lines: [
      line('import --from py-kube-downscaler --dry-run', 1),
      line('import --from py-kube-downscaler', 2),
      line('import --from py-kube-downscaler --partial'),
      line('import --from py-kube-downscaler --verify'),
    ],
  },
  {
    recording: 'gokubedownscaler-main',
    lines: [
      line('import --from gokubedownscaler --dry-run', 1),
      line('import --from gokubedownscaler --partial'),
      line('import --from gokubedownscaler --verify'),
    ],
  },
  {
    recording: 'kube-green',
    lines: [
      line('import --from kube-green --dry-run', 1),
      line('import --from kube-green --dry-run -o json', 1),
      line('import --from kube-green --partial'),
      line('import --from kube-green --verify'),
      line('import --from kube-green --verify -o yaml'),
    ],
  },
]

/** For a program whose own names stand in its answers: they are compared with the sources under the same name. */
export const OF_EACH: readonly Line[] = [
  line('--help'),
  line('help wake'),
  line('--version'),
  line('nosuch', 2),
  line('completion bash'),
  line('completion zsh'),
  line('completion fish'),
  line('completion nosuch', 2),
  line(`explain '8:00-18:00,Mon-Fri' --timezone Europe/Berlin --from 2026-11-24T00:00Z`),
  line(`explain '8:00-18:00,Mon-Fri' --timezone Europe/Berlin --from 2026-11-24T00:00Z --json`),
  line('explain 8-18', 2),
]

/** For a program for people. */
export const OF_CLIENT: readonly Line[] = [line('')]

/** For a program that has the service's commands, too. */
export const OF_SERVICE: readonly Line[] = [
  line('', 2),
  line('key-pair keys'),
  line('key-pair keys', 2),
  line('token --key keys/private.pem --subject me --namespaces shop --scope dormouse:read'),
  // There is no cluster.
  line('release --all --dry-run --yes', 1),
  line('release', 2),
  line('serve --config wrong.yaml', 2),
  line('sandbox --config wrong.yaml', 2),
  line('serve --help'),
]

/** All lines of the table. */
export const ALL: readonly Line[] = [
  ...READ.lines,
  ...READING,
  ...[...ACTING, OVER_HTTP].flatMap(({ lines }) => lines),
  ...TAKEN.flatMap(({ lines }) => lines),
  ...OF_EACH,
  ...OF_CLIENT,
  ...OF_SERVICE,
]

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { parseAllDocuments } from 'yaml'
import { VERBS } from '../../src/cli/people/catalogue.ts'
import type { StatusRecord } from '../../src/domain/records/record.ts'
import { Refusal } from '../../src/process/errors.ts'
import { both, itWith } from '../suite/need.ts'
import { bash, kubectl, runProgram } from '../support/kubectl.ts'
import { programEnvironment } from '../support/program-environment.ts'
import { FakeDormouse, aRecord, anAsleepRecord, typed } from './fake-dormouse.ts'

const HOUR = 3_600_000
/** Moves the cursor, or turns the direction of what follows. */
const STEERS = /[^\P{Cc}\n]|[\u202A-\u202E\u2066-\u2069]/u
const shop = [
  aRecord('web'),
  anAsleepRecord('cart'),
  aRecord('idle', { enabled: false, next_transition: null }),
]

/** Types a line where the shop's workloads are. */
const inShop = (...line: string[]) => typed(line, { workloads: shop })
const rows = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {3,}/))

describe('the commands for people', () => {
  it('list shows a table as kubectl does, with a column for the namespace for all of them', async () => {
    const { code, out, err } = await inShop('list')
    expect({ code, err }).to.deep.equal({ code: 0, err: '' })
    expect(rows(out).map((cells) => cells.slice(0, 3))).to.deep.equal([
      ['NAME', 'KIND', 'STATE'],
      ['web', 'deployment', 'awake'],
      ['cart', 'deployment', 'asleep'],
      ['idle', 'deployment', 'unmanaged'],
    ])
    expect(out).to.include('by request of ann until Tue 8:00').and.include('wakes Tue 8:00')
    expect((await inShop('list', '-A')).out).to.match(/^NAMESPACE +NAME /)
    expect((await inShop('list', '-o', 'wide')).out).to.include('namespace/shop')
    expect((await inShop('list', '--no-headers', '--state', 'asleep')).out).to.match(/^cart /)
  })

  it('list fits the terminal: the reason takes the place that is left, then goes, and nothing wraps', async () => {
    const workloads = [...shop, aRecord('a-longer-name-of-a-workload')]
    const lines = async (columns: number, ...more: string[]) => {
      const { out } = await typed(['list', ...more], { workloads, isTerminal: true, columns })
      // oxlint-disable-next-line no-control-regex
      const plain = out.replaceAll(/\u001B\[\d+m/g, '')
      return plain.trim().split('\n')
    }
    for (const columns of [70, 80, 100, 120, 160, 200])
      for (const more of [[], ['-A']])
        for (const line of await lines(columns, ...more))
          expect(line.length, `${columns}: ${line}`).to.be.at.most(columns)
    expect((await lines(200))[1]).to.match(/of namespace shop until 18:00$/)
    expect((await lines(120))[1]).to.match(/ {3}sleeps 18:00 +awake by schedule .*…$/)
    expect((await lines(100, '-A'))[0]).to.match(/^NAMESPACE +NAME +KIND +STATE +READY +NEXT$/)
    expect((await typed(['list'], { workloads })).out, 'for programs').to.include('until 18:00\n')
  })

  it('list says READY, and of what nothing enables it says so once', async () => {
    const { out } = await typed(['list'], {
      workloads: [aRecord('web', { ready_replicas: 2 }), ...shop.slice(2)],
    })
    const cells = rows(out)
    expect(cells[0]).to.deep.equal(['NAME', 'KIND', 'STATE', 'READY', 'NEXT', 'REASON'])
    expect(cells[1]?.slice(2, 4)).to.deep.equal(['awake', '2/3'])
    const { policy } = aRecord('idle').record
    const nothing = { ...policy, enabled: { value: null, source: null } }
    const none = aRecord('idle', { enabled: false, next_transition: null, policy: nothing })
    expect((await typed(['list'], { workloads: [none] })).out).to.match(/unmanaged +3\/3 +- +-$/m)
  })

  it('a watch begins in the order of the list', async () => {
    const workloads = [aRecord('web'), aRecord('cart'), aRecord('api', { namespace: 'billing' })]
    const { out } = await typed(['list', '-A', '-w', '-o', 'name'], { workloads })
    expect(out).to.equal('deployment.apps/api\ndeployment.apps/cart\ndeployment.apps/web\n')
  })

  it('list names a namespace that there is not, and ends with 1', async () => {
    const { code, err } = await typed(['list', '-n', 'stagin'], { namespacesThere: ['shop', 'staging'] })
    expect({ code, err }).to.deep.equal({
      code: 1,
      err: 'error: there is no namespace stagin in cluster dev: did you mean staging?\n',
    })
  })

  it("texts of others send nothing to the reader's terminal, and make no rows", async () => {
    const hostile = '\u001B]0;owned\u0007\u001B[2J\u009B31m\rgone\u202E\nweb2   deployment   awake'
    const workloads = [
      anAsleepRecord('cart', {
        reason: `invalid schedule: found '${hostile}'`,
        operation_history: [
          {
            type: 'snooze', trigger: 'api', timestamp: '2026-03-02T10:00:00.000Z',
            replicas: 0, duration: 2140, by: `k8s:${hostile}`, result: 'succeeded',
          },
        ],
      }),
    ] // prettier-ignore
    for (const line of [
      ['list'],
      ['list', '-o', 'wide'],
      ['status', 'cart'],
      ['why', 'cart'],
      ['list', '-o', 'json'],
    ])
      for (const isTerminal of [false, true]) {
        const { out, err } = await typed(line, { workloads, notes: [hostile], isTerminal })
        // oxlint-disable-next-line no-control-regex
        const own = /\u001B\[(?:0|1|2|3[1-4])m/g
        expect((out + err).replaceAll(own, ''), line.join(' ')).to.not.match(STEERS)
        expect(out.split('\n').filter((each) => each.startsWith('web2'))).to.deep.equal([])
      }
    expect((await typed(['list'], { workloads })).out.trim().split('\n')).to.have.length(2)
    const refuses = new Refusal('PINNED', hostile)
    const { err } = await typed(['wake', 'cart'], { workloads, refuses })
    expect(err).to.not.match(STEERS)
  })

  it('a kind that there is not is named, whatever it is called', async () => {
    for (const kind of ['constructor', 'tostring', '__proto__']) {
      const { code, err } = await typed(['list', kind])
      expect({ code, err }).to.deep.equal({
        code: 2,
        err: `error: list: '${kind}' is no kind that Dormouse manages: write deploy, sts, ds, rs or cj\n`,
      })
    }
  })

  it('list says on standard error that there is nothing, and what may be missing', async () => {
    const { code, out, err } = await typed(['list', '-n', 'empty'], { notes: ['half is missing'] })
    expect({ code, out }).to.deep.equal({ code: 0, out: '' })
    expect(err).to.equal('note: half is missing\nNo workloads found in namespace empty.\n')
  })

  it('writes for programs by -o, a list always as a list', async () => {
    const { out } = await typed(['list', '-o', 'json'], { workloads: shop.slice(0, 1) })
    expect(JSON.parse(out).items[0]).to.include({ name: 'web', enabled: true })
    expect((await inShop('list', '-o', 'name')).out).to.equal(
      'deployment.apps/web\ndeployment.apps/cart\ndeployment.apps/idle\n',
    )
    expect((await inShop('status', 'web', '-o', 'yaml')).out).to.match(/^name: web\n/)
    const { code, err } = await typed(['list', '-o', 'jsn'])
    expect(code).to.equal(2)
    expect(err).to.include('did you mean json?')
  })

  it('why says it in at most ten lines: state, rule, who, since when, what comes, what changes it', async () => {
    const { out } = await inShop('why', 'cart')
    expect(rows(out).map((cells) => cells.join(': ').trim().replaceAll(/ {2,}/g, ': '))).to.deep.equal([
      'deployment shop/cart is asleep: none of 3 replicas runs',
      'because: asleep by request of ann until Tue 8:00',
      'put to sleep by: ann, on request',
      'since: 11:00 (2h ago)',
      'next: it wakes Tue 8:00 (in 19h)',
      'to run it for 4 hours: kubectl dormouse wake deploy/cart --for 4h',
    ])
    for (const name of ['web', 'idle'])
      expect(rows((await inShop('why', name)).out)).to.have.length.at.most(10)
  })

  it("why names the reader's zone where the clocks of the workload's zone show another time", async () => {
    const reason = 'awake by schedule 8:00-18:00 (Asia/Tokyo) until 2026-03-02T17:00:00Z'
    const there = aRecord('web', { reason, timezone: 'Asia/Tokyo' })
    const { out } = await typed(['why', 'web'], { workloads: [there] })
    expect(out).to.include('until 18:00 (Europe/Berlin)\n')
    expect((await inShop('why', 'web')).out).to.not.include('18:00 (Europe/Berlin)\n')
  })

  it('so do list and a plan, and list -o wide, whose hours are in another column', async () => {
    class Planning extends FakeDormouse {
      override async plan() {
        return [{ at: '2026-03-02T17:00:00.000Z', type: 'snooze', reason: `asleep by ${hours}` }] as never
      }
    }
    const hours = 'schedule 8:00-18:00 (Asia/Tokyo, calendar japan) until 2026-03-02T17:00:00Z'
    const over = new Planning({ workloads: [aRecord('web', { reason: `awake by ${hours}` })] })
    const UNTIL = '8:00-18:00 (Asia/Tokyo, calendar japan) until 18:00 (Europe/Berlin)\n'
    for (const line of [['list'], ['plan', 'web']])
      expect((await typed(line, { over })).out).to.include(UNTIL)
    expect((await typed(['list', '-o', 'wide'], { over })).out).to.match(
      / READY +NEXT \(Europe\/Berlin\) +KEPT /,
    )
  })

  it('why and status show a workload whose zone is none', async () => {
    const reason = 'pinned awake by k8s:ann since 2026-03-02T07:00:00Z'
    const odd = aRecord('web', { reason, timezone: '\u001b]0;PWN\u0007' })
    for (const verb of ['why', 'status']) {
      const { code, out, err } = await typed([verb, 'web'], { workloads: [odd] })
      expect([code, err]).to.deep.equal([0, ''])
      expect(out)
        .to.include('web')
        .and.not.match(/\p{Cc}(?<!\n)/u)
    }
  })

  it('why says why Dormouse itself woke it, where the schedule did not', async () => {
    const woken = {
      type: 'wake', trigger: 'disable', timestamp: '2026-03-02T10:00:00.000Z',
      replicas: 3, duration: 10, by: null, result: 'succeeded',
    } as const // prettier-ignore
    const { out } = await typed(['why', 'web'], {
      workloads: [aRecord('web', { operation_history: [woken] })],
    })
    expect(out).to.match(/woken by +Dormouse itself \(since nothing enables it any longer\)$/m)
  })

  it('why offers what changes something, and what is not refused', async () => {
    const offered = async (more: Parameters<typeof aRecord>[1]) => {
      const { out } = await typed(['why', 'web'], { workloads: [aRecord('web', more)] })
      return out.split('\n').filter((line) => line.includes('kubectl dormouse'))
    }
    const ends = (at: string) => ({
      wake_requested: true,
      next_transition: { at, type: 'snooze' as const, reason: 'x' },
    })
    expect((await offered({ wake_requested: false })).join()).to.include("wake deploy/web --until '22:00'")
    expect((await offered(ends('2026-03-02T15:00:00.000Z'))).join()).to.include('wake deploy/web --for 4h')
    expect((await offered(ends('2026-03-06T17:00:00.000Z'))).join()).to.not.include('wake')
    expect((await offered({ wake_requested: true, next_transition: null })).join()).to.not.include('wake')
    // Four hours from now would end sooner than it sleeps by itself.
    const tomorrow = { ...ends('2026-03-03T18:00:00.000Z'), wake_requested: false }
    expect((await offered(tomorrow)).join()).to.include("wake deploy/web --until 'Tue 23:00'")
    const nextWeek = { ...ends('2026-03-09T18:00:00.000Z'), wake_requested: false }
    expect((await offered(nextWeek)).join()).to.not.include('wake')
    const backoff = { in_backoff_period: true, backoff_until: '2026-03-02T15:00:00.000Z' }
    expect((await offered(backoff)).join()).to.match(/snooze deploy\/web --force$/)
    const failed = { ...backoff, reason_values: { cause: 'failure' } }
    expect((await offered(failed)).join()).to.match(/snooze deploy\/web$/)
    const remedy = { action: 'enable', query: { inherit: 'true' } } as const
    const off = await offered({ enabled: false, next_transition: null, remedy })
    expect(off.join()).to.match(/enable deploy\/web --inherit$/)
  })

  it('why offers to manage it by the hours that it has kept', async () => {
    const offered = async (schedule: string | null) => {
      const record = aRecord('web', { enabled: false, wake_schedule: schedule })
      return (await typed(['why', 'web'], { workloads: [record] })).out
    }
    expect(await offered('6:00-23:00')).to.match(/to manage it +kubectl dormouse enable deploy\/web$/m)
    expect(await offered(null)).to.include('enable deploy/web --schedule 8:00-18:00,Mon-Fri')
  })

  it('plan looks a week ahead, in the times of the reader, or as many hours as are asked for', async () => {
    const { out } = await inShop('plan', 'deploy/web')
    expect(out).to.include('the next 7 days').and.include('Mon 2026-03-02 18:00   5h   sleeps')
    for (const [hours, said] of [
      ['24', 'the next day:'],
      ['1', 'the next hour:'],
      ['36', 'the next 36 hours:'],
    ] as const)
      expect((await inShop('plan', 'cart', '--hours', hours)).out).to.match(new RegExp(`cart, ${said}\n`))
  })

  it('status shows the history with its names', async () => {
    expect((await inShop('status', 'cart')).out).to.match(/11:00 +snooze +api +ann/)
  })

  it('asks for what is typed, and says what was done', async () => {
    const cases: [line: string[], request: object][] = [
      [['wake', 'cart'], { action: 'wake' }],
      [['wake', 'cart', '--for', '1h30m'], { action: 'wake', for: 1.5 * HOUR }],
      [['wake', 'cart', '--until', '18:00'], { action: 'wake', for: 5 * HOUR }],
      [['snooze', 'cart', '--for', '2d', '--force'], { action: 'snooze', for: 48 * HOUR, force: true }],
      [['pin', 'cart'], { action: 'pin' }],
      [['unpin', 'cart'], { action: 'unpin' }],
      [['override', 'cart'], { action: 'override' }],
      [['override', 'cart', '--for', '8h'], { action: 'override', duration: 8 * HOUR }],
      [['resume', 'cart'], { action: 'clearOverride' }],
      [
        ['enable', 'cart', '--schedule', '08:00-18:00,mon-fri'],
        { action: 'enable', schedule: '8:00-18:00,Mon-Fri' },
      ],
      [['disable', 'cart', '--inherit'], { action: 'disable', inherit: true }],
      [['schedule', 'cart', '--none'], { action: 'schedule', schedule: '' }],
      [['schedule', 'cart', '--timezone', 'Asia/Tokyo'], { action: 'schedule', timezone: 'Asia/Tokyo' }],
    ]
    for (const [line, request] of cases) {
      const { code, out, asked } = await inShop(...line)
      expect({ code, asked: asked.map((each) => each.request) }, line.join(' ')).to.deep.equal({
        code: 0,
        asked: [request],
      })
      expect(out).to.match(/^deployment\.apps\/cart: .* done\n$/)
    }
  })

  it('takes options before the command, whose values may be called as one, and the dry run as kubectl does', async () => {
    const line = ['-n', 'shop', '--context', 'dev', 'wake', 'deployments.apps/cart', '--dry-run=server']
    const { asked, connections, out } = await inShop(...line)
    expect(asked[0]).to.include({ dryRun: true })
    expect(asked[0]?.key).to.deep.equal({ kind: 'deployments', namespace: 'shop', name: 'cart' })
    expect(connections[0]).to.include({ namespace: 'shop', context: 'dev' })
    expect(out).to.equal('deployment.apps/cart would be wake done (dry run: nothing was changed)\n')
    expect((await inShop('wake', 'cart', '--dry-run=client')).code).to.equal(2)
    const there = { workloads: [aRecord('web', { namespace: 'console' })] }
    for (const options of [
      ['--namespace=list'],
      ['-nlist'],
      ['--as', 'list', '-n', 'list', '--context', 'pin'],
    ]) {
      const {
        code,
        connections: [made],
      } = await typed([...options, 'list', '-o', 'json'], there)
      expect({ code, namespace: made?.namespace }, options.join(' ')).to.deep.equal({
        code: 0,
        namespace: 'list',
      })
    }
    expect((await typed(['-n', 'console', 'list', '-o', 'name'], there)).out).to.equal(
      'deployment.apps/web\n',
    )
    expect((await typed(['__complete', '-n', 'console', 'wake', ''], there)).out).to.equal('deploy/web\n:4\n')
  })

  it('names what is no command behind options, and asks for one where there is none', async () => {
    const { code, err } = await typed(['-n', 'shop', 'lsit'])
    expect({ code, err }).to.deep.equal({
      code: 2,
      err: "error: there is no command 'lsit': did you mean kubectl dormouse list?\n",
    })
    expect((await typed(['-n', 'shop'])).err).to.include('kubectl dormouse --help lists the commands')
    expect((await typed(['--nmespace', 'shop', 'list'])).code).to.equal(2)
  })

  it('asks before it acts on all, with the counts, and needs --yes where nobody can be asked', async () => {
    const many = ['wake', '--all']
    const agreed = await typed(many, { workloads: shop, types: 'y' })
    expect(agreed.err).to.include('1 workload not managed by Dormouse: left out')
    expect(agreed.err).to.include(
      'Wake 2 workloads (1 asleep, 1 awake) in namespace shop, cluster dev? [y/N]',
    )
    expect(agreed.asked).to.have.length(2)
    const declined = await typed(many, { workloads: shop, types: '' })
    expect(declined).to.include({ code: 1 })
    expect(declined.asked).to.deep.equal([])
    const alone = await inShop(...many)
    expect(alone).to.include({ code: 2 })
    expect(alone.err).to.include('add --yes')
    expect((await inShop(...many, '--yes')).asked).to.have.length(2)
    expect((await inShop('wake', 'cart', '--all')).code).to.equal(2)
  })

  it('names the namespaces where it acts on several, and says where else to look when there is nothing', async () => {
    const everywhere = [aRecord('web'), aRecord('web', { namespace: 'staging' })]
    const { out } = await typed(['wake', '--all', '-A', '--yes'], { workloads: everywhere })
    expect(out).to.match(/^deployment\.apps\/web in shop: .*\ndeployment\.apps\/web in staging: /)
    expect((await typed(['list'])).err).to.equal('No workloads found in namespace shop. -A looks in all.\n')
  })

  it('asks nothing with a zone that another continent might be meant by', async () => {
    const { code, err, asked } = await inShop('schedule', 'cart', '--timezone', 'BST')
    expect({ code, asked }).to.deep.equal({ code: 2, asked: [] })
    expect(err).to.include(
      "--timezone: unknown time zone 'BST': write an IANA time zone such as Europe/London",
    )
  })

  it('ends with 2 where the configuration is wrong that it checks, and names the file', async () => {
    const none = await typed(['check', '/nowhere/config.yaml'])
    expect(none).to.include({ code: 2 })
    expect(none.err).to.equal('error: file /nowhere/config.yaml: there is no such file\n')
    const wrong = await typed(['check', 'package.json'])
    expect(wrong).to.include({ code: 2 })
    expect(wrong.err).to.include("unknown key 'name'")
  })

  it('several: a line for each failure, the others are done, and the end is 1', async () => {
    const { code, out, err } = await inShop('wake', 'deploy/cart', 'deploy/none')
    expect(code).to.equal(1)
    expect(out).to.include('deployment.apps/cart: wake done')
    expect(err).to.include('error: deployment shop/none: there is no deployments none')
  })

  it('several: a bare name that nothing has fails alone, and the others are done', async () => {
    const { code, out, err } = await inShop('wake', 'none', 'cart', 'nil')
    expect({ code, out }).to.deep.equal({ code: 1, out: 'deployment.apps/cart: wake done\n' })
    expect(err.match(/^error: there is no workload n\w+ in namespace shop/gm)).to.have.length(2)
    const seen = await inShop('status', 'none', 'cart', '-o', 'json')
    expect(seen.code).to.equal(1)
    expect(JSON.parse(seen.out).items).to.have.length(1)
    expect((await inShop('plan', 'none', 'nil', 'Web!')).code).to.equal(2)
  })

  it('what is chosen by labels or --all is a list for programs, even of one, and nobody is left without a word', async () => {
    const workloads = [aRecord('web')]
    for (const line of [
      ['status', '-l', 'app=web'],
      ['plan', '-l', 'app=web'],
      ['wake', '--all', '--yes'],
    ]) {
      const { out } = await typed([...line, '-o', 'json'], { workloads })
      expect(JSON.parse(out).items, line.join(' ')).to.have.length(1)
    }
    for (const verb of ['why', 'status', 'plan']) {
      const { code, out, err } = await typed([verb, '-l', 'app=none'])
      expect({ code, out, err }, verb).to.deep.equal({
        code: 0,
        out: '',
        err: 'No workloads found in namespace shop.\n',
      })
    }
  })

  it('a watch for programs is a stream of documents', async () => {
    const workloads = [aRecord('web'), aRecord('cart')]
    const { out } = await typed(['list', '-w', '-o', 'yaml'], { workloads })
    expect(parseAllDocuments(out).map((each) => each.get('name'))).to.deep.equal(['cart', 'web'])
    const one = await typed(['status', 'web', '-w', '-o', 'yaml'], {
      workloads: [aRecord('web')],
      later: [aRecord('web')],
    })
    expect(parseAllDocuments(one.out).map((each) => each.get('name'))).to.deep.equal(['web', 'web'])
  })

  it('a watch of one state shows also what leaves it', async () => {
    const { out } = await typed(['list', '-w', '--state', 'asleep'], {
      workloads: [anAsleepRecord('cart'), aRecord('web')],
      later: [aRecord('cart'), aRecord('cart')],
    })
    expect(
      out.match(/^\w+ .*(?:asleep|awake)/gm)?.map((line) => line.split(/ +/)[2] + ' ' + line.split(/ +/)[0]),
    ).to.deep.equal(['asleep cart', 'awake cart'])
  })

  it('ends a bulk with a summary, in which those that failed alike are named once', async () => {
    const many = Array.from({ length: 14 }, (_, index) => aRecord(`web-${index + 10}`))
    const all = ['snooze', '--all', '--yes']
    const done = await typed(all, { workloads: many })
    expect(done.err).to.equal('14 put to sleep\n')
    expect((await typed([...all, '--dry-run'], { workloads: many })).err).to.equal(
      '14 would be put to sleep\n',
    )
    const pinned = new Refusal('PINNED', 'pinned', {
      details: { reason: 'pinned awake by k8s:ann', reason_code: 'pinned', reason_values: {}, remedy: null },
    })
    const refused = await typed(all, { workloads: many.slice(0, 2), refuses: pinned })
    expect(refused).to.include({ code: 1 })
    expect(refused.err).to.equal(
      'error: deployment shop/web-10: pinned awake by ann\n' +
        '0 put to sleep, 2 refused (pinned): shop/web-10, shop/web-11\n',
    )
    const dead = await typed(all, { workloads: many, refuses: new Error('nobody answers') })
    expect(dead.err).to.match(
      /^error: deployment shop\/web-10: nobody answers\n0 put to sleep, 14 failed: shop\/web-10, .*, 4 more\n$/,
    )
  })

  it('waits for several with a count, and names a few of those that are late', async () => {
    const late = Array.from({ length: 9 }, (_, index) =>
      aRecord(`web-${index}`, { ready_replicas: index < 2 ? 3 : 1, operation_in_progress: index >= 2 }),
    )
    const line = ['wake', '--all', '--yes', '--wait', '--timeout', '1s']
    const { err, code } = await typed(line, { workloads: late })
    expect(code).to.equal(1)
    expect(err).to.match(
      /^9 woken\n2 of 9 ready\nerror: not ready after 1s: 2 of 9 ready; deployment shop\/web-2: 1 of 3/,
    )
    expect(err).to.match(/ and 2 more\n$/)
  })

  it('writes over one line of progress on a terminal, and leaves none behind', async () => {
    const { err } = await typed(['wake', '--all', '--yes'], { workloads: shop, isTerminal: true })
    expect(err).to.include('\r\u001B[K1 of 2\r\u001B[K')
    expect(err.endsWith('\r\u001B[K2 woken\n'), err).to.equal(true)
  })

  it('says refusals in commands, with the options that lead to the same place', async () => {
    const refuses = new Refusal('PINNED', 'pinned awake by k8s:ann since 2026-03-02T07:00:00Z', {
      details: {
        reason: 'pinned awake by k8s:ann since 2026-03-02T07:00:00Z',
        reason_code: 'pinned',
        remedy: { action: 'unpin', query: {} },
      },
    })
    const staging = [aRecord('web', { namespace: 'staging' })]
    const { code, err } = await typed(['snooze', 'deploy/web', '-n', 'staging', '--context', 'dev'], {
      workloads: staging,
      refuses,
    })
    expect(code).to.equal(1)
    expect(err).to.equal(
      'error: deployment staging/web: pinned awake by ann since 8:00; to let it go: kubectl dormouse unpin deploy/web -n staging --context dev\n',
    )
    const as = ['--as', 'bob', '--as-group', 'devs', '--as-group', 'night shift']
    const other = await typed(['snooze', 'deploy/web', '-n', 'staging', ...as], {
      workloads: staging,
      refuses,
    })
    expect(other.err).to.include(`--as bob --as-group devs --as-group 'night shift'`)
  })

  it('errors say what to type, and misuse ends with 2', async () => {
    const cases: [line: string[], says: string][] = [
      [['wak', 'web'], 'did you mean kubectl dormouse wake?'],
      ...['open', 'start', 'up'].map((verb): [string[], string] => [
        [verb, 'web'],
        'did you mean kubectl dormouse wake?',
      ]),
      ...['sleep', 'stop', 'down'].map((verb): [string[], string] => [
        [verb, 'web'],
        'did you mean kubectl dormouse snooze?',
      ]),
      [['wake'], 'name a workload such as deploy/web'],
      [['wake', 'deplo/web'], 'did you mean deploy/web?'],
      [['wake', 'a/b/c'], "'a/b/c' is no target"],
      [['wake', 'Web!'], "'Web!' is no target"],
      [['wake', 'web', '--for', '4'], 'did you mean 4m or 4h?'],
      [['wake', 'web', '--for', '4hours'], 'did you mean 4h?'],
      [['wake', 'web', '--until', '6pm'], "did you mean '18:00'?"],
      [['wake', 'web', '--until', 'fri 6:30 pm'], "did you mean 'fri 18:30'?"],
      [['wake', 'web', '--until', '12am'], "did you mean '0:00'?"],
      [['wake', 'web', '--until', "fri 6 o'clock"], "did you mean 'fri 6:00'?"],
      [['schedule', 'web', '--schedule', 'none'], 'for no hours at all write schedule --none'],
      [['enable', 'web', '--schedule', 'Never'], 'for no hours at all write schedule --none'],
      [['wake', 'web', '--for', '4h', '--until', '18:00'], 'not both'],
      [['wake', 'web', '--until', '25:00'], '--until: expected'],
      [['wake', 'web', '--until', '2020-01-01'], 'has passed'],
      [['list', '--server', 'https://d.example', '--context', 'dev'], '--context is for the cluster'],
      [['list', '--server', 'https://d.example', '--kubeconfig', 'c'], '--kubeconfig is for the cluster'],
      [['list', '--server', 'https://d.example', '--as', 'bob'], '--as is for the cluster'],
      [['list', '--certificate-authority', 'ca.pem'], '--certificate-authority is for --server'],
      [['wake', 'web', '--timeout', '5m'], '--timeout is for --wait'],
      [['enable', 'web', '--schedule', '8:00-18:00,Mon-Fry'], 'Fry'],
      [['schedule', 'web'], 'give --schedule'],
      [['list', '-l', 'a=b=c'], '-l:'],
      [['list', 'pods'], "'pods' is no kind"],
      [['list', '-n', 'a/b'], "'a/b' is no name of a namespace"],
      [['list', '--as-group', 'x'], '--as-group needs --as'],
      [['plan', 'web', '--hours', '9999'], 'from 1 to 744'],
      [['plan', 'web', '-o', 'name'], 'write -o json or -o yaml'],
      [['import', '--from', 'kube-green', '--as-group', 'x'], '--as-group needs --as'],
      [['status'], 'name a workload'],
      [['completion', 'tcsh'], 'bash, zsh, fish'],
      [['wake', 'deploy/web', '--fro', '4h'], 'add --help to see how it is used'],
      [['completion'], "missing required argument 'shell'"],
    ]
    for (const [line, says] of cases) {
      const { code, err, out } = await inShop(...line)
      expect({ code, out }, line.join(' ')).to.deep.equal({ code: 2, out: '' })
      expect(err, line.join(' ')).to.include(says)
    }
  })

  it('a bare name finds its kind; none and several say what to write', async () => {
    const none = await inShop('wake', 'webb')
    expect(none).to.include({ code: 1 })
    expect(none.err).to.include('did you mean deploy/web?')
    expect((await inShop('wake', 'wbe')).err).to.include('did you mean deploy/web?')
    const several = [...shop, aRecord('web', {}, 'statefulsets')]
    const both = await typed(['wake', 'web'], { workloads: several })
    expect(both).to.include({ code: 2 })
    expect(both.err).to.include('deploy/web, sts/web')
  })

  it('TYPE NAME is understood as kubectl does, names may be separated by commas, and nothing else is touched', async () => {
    const kinds = [aRecord('web'), aRecord('db', {}, 'statefulsets')]
    const asked = async (...words: string[]) => {
      const { code, out } = await typed(['wake', ...words], { workloads: kinds })
      return [code, ...out.split('\n').filter((line) => line !== '')]
    }
    const web = 'deployment.apps/web: wake done'
    const db = 'statefulset.apps/db: wake done'
    expect(await asked('deploy', 'web')).to.deep.equal([0, web])
    expect(await asked('deploy/web,sts/db')).to.deep.equal([0, web, db])
    expect(await asked('web,', 'db')).to.deep.equal([0, web, db])
    expect(await asked('sts', 'web')).to.deep.equal([1])
    const called = [...kinds, aRecord('deploy')]
    const both = await typed(['wake', 'deploy', 'web'], { workloads: called })
    expect(both.out).to.include('deployment.apps/deploy: wake done').and.include(web)
  })

  it('--all and -l wake nothing that its owner keeps at 0, and never shorten', async () => {
    const zero = { current_replicas: 0, last_replicas: 0 }
    const workloads = [
      aRecord('web'),
      aRecord('retired', { ...zero, reason_code: 'scaled_to_zero' }),
      anAsleepRecord('old', zero),
    ]
    const { out, err } = await typed(['wake', '--all', '--yes'], { workloads })
    expect(out).to.equal('deployment.apps/web: wake done\n')
    expect(err).to.include('2 workloads kept at 0 by the owner: left out')
    expect((await typed(['snooze', '--all', '--yes'], { workloads })).out.split('\n')).to.have.length(4)
    expect((await typed(['wake', 'retired'], { workloads })).out).to.include('retired: wake done')
    const shorten = ['--for', '1h', '--shorten']
    expect(await typed(['wake', '--all', ...shorten], { workloads })).to.include({ code: 2 })
    expect(await typed(['wake', 'web', ...shorten], { workloads })).to.include({ code: 0 })
  })

  it('waits until what was asked for holds, or says what was done and how far it came, whatever the format', async () => {
    expect(await inShop('wake', 'web', '--wait')).to.include({ code: 0, err: '3 of 3 ready\n' })
    const late = [aRecord('web', { ready_replicas: 1, operation_in_progress: true })]
    const line = ['wake', 'web', '--wait', '--timeout', '1s', '-o', 'json']
    const { code, err } = await typed(line, { workloads: late })
    expect(code).to.equal(1)
    expect(err)
      .to.match(/^deployment\.apps\/web: wake done$/m)
      .and.include('not ready after 1s: 1 of 3 ready')
  })

  it('colours only on a terminal, and not with NO_COLOR', async () => {
    const out = async (more: object) => (await typed(['list'], { workloads: shop, ...more })).out
    expect(await out({})).not.to.include('\u001B')
    expect(await out({ isTerminal: true })).to.include('\u001B')
    expect(await out({ isTerminal: true, environment: { NO_COLOR: '1' } })).not.to.include('\u001B')
  })

  it('every command has a help that needs no cluster and shows what people type', async () => {
    for (const verb of VERBS) {
      const { code, out, connections } = await typed([verb, '--help'])
      expect({ code, connections: connections.length }, verb).to.deep.equal({ code: 0, connections: 0 })
      expect(out, verb).to.include(`Usage: kubectl dormouse ${verb}`)
      if (verb !== 'completion') expect(out, verb).to.include(`\nExamples:\n  kubectl dormouse ${verb}`)
      expect((await typed(['help', verb])).out, verb).to.equal(out)
    }
    expect((await typed(['help'])).out).to.equal((await typed([])).out)
  })

  it('explain reads a schedule as the service does, without a cluster', async () => {
    const { code, out, connections } = await typed(['explain', '8:00-18:00,mon-fri', '--count', '1'])
    expect({ code, connections }).to.deep.equal({ code: 0, connections: [] })
    expect(out).to.include('schedule  8:00-18:00,Mon-Fri\n').and.include('Mon 2026-03-02 18:00 +00:00')
  })

  it('the help says whom --all means', async () => {
    const help = async (verb: string) => (await typed([verb, '--help'])).out.replaceAll(/\s+/g, ' ')
    expect(await help('wake')).to.include('all workloads of the namespace that Dormouse manages; asks first')
    expect(await help('enable')).to.include('all workloads of the namespace, managed or not; asks first')
    expect(await help('console')).to.include('namespace; default: all that you may list')
  })

  it('the help is in groups, what one sees first, and has no command of the service', async () => {
    const { out } = await typed(['--help'])
    const lines = out.split('\n').filter((line) => /^\S|^  \w/.test(line))
    expect(lines.map((line) => line.trim().split(' ')[0]).join(' ')).to.equal(
      'Usage: Shows Options: See: list why status plan savings console ' +
        'Act: wake snooze pin unpin override resume ' +
        'Set enable disable schedule explain check import completion version help kubectl',
    )
    expect(out).to.include('Usage: kubectl dormouse')
  })

  it('version shows both versions, its own alone without a cluster, and a note where the service tells none', async () => {
    expect(await typed(['version'])).to.include({
      code: 0,
      out: 'client   1.2.3\nservice  2.0.0 (cluster dev)\n',
    })
    const own = await typed(['version', '--client'])
    expect(own).to.include({ code: 0, out: 'client   1.2.3\n' })
    expect(own.connections).to.deep.equal([])
    const unknown = await typed(['version'], { version: undefined, unknowns: ['there is no ConfigMap'] })
    expect(unknown.out).to.include('service  unknown (cluster dev)')
    expect(unknown.err).to.equal('note: there is no ConfigMap\n')
    expect(unknown.out).to.not.include('null')
  })

  it('version is for programs by -o json and -o yaml, and refuses what says nothing of versions', async () => {
    const versions = { client: '1.2.3', service: '2.0.0', place: 'cluster dev' }
    const { out, code } = await typed(['version', '-o', 'json'])
    expect({ code, out: JSON.parse(out) as object }).to.deep.equal({ code: 0, out: versions })
    const yaml = 'client: 1.2.3\nservice: 2.0.0\nplace: cluster dev\n'
    expect((await typed(['version', '-o', 'yaml'])).out).to.equal(yaml)
    const own = await typed(['version', '--client', '-o', 'json'])
    expect(JSON.parse(own.out)).to.deep.equal({ client: '1.2.3' })
    const unknown = await typed(['version', '-o', 'json'], { version: undefined })
    expect(JSON.parse(unknown.out)).to.include({ service: null })
    for (const format of ['name', 'wide'])
      expect(await typed(['version', '-o', format])).to.include({ code: 2, out: '' })
  })

  it('completion of the plugin is by kubectl, which needs a program of another name', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { code, out } = await typed(['completion', shell])
      expect(code, shell).to.equal(0)
      expect(out, shell)
        .to.include('kubectl_complete-dormouse')
        .and.include('exec kubectl dormouse __complete')
      const { out: alone } = await typed(['completion', shell], { program: 'dormouse' })
      expect(alone, shell).to.include('dormouse __complete').and.not.include('kubectl')
    }
    const { out: help } = await typed(['completion', '--help'])
    expect(help)
      .to.include('source <(kubectl dormouse completion bash)')
      .and.not.include('(dormouse completion')
  })

  itWith(
    both(bash, kubectl),
    'the script of the plugin warns where nothing would ask it, and not behind kubectl',
    async () => {
      const { out: script } = await typed(['completion', 'bash'])
      const home = await mkdtemp(join(tmpdir(), 'dormouse-completion-'))
      const env = { ...programEnvironment(), HOME: home, XDG_DATA_HOME: home }
      const loaded = (before: string) =>
        runProgram('bash', ['--noprofile', '--norc', '-eu'], { input: `${before}\n${script}`, env })
      const alone = await loaded('')
      expect(alone).to.include({ code: 0, stdout: '' })
      expect(alone.stderr).to.include('load it first: source <(kubectl completion bash)')
      const behind = await loaded('source <(kubectl completion bash)')
      expect(behind).to.deep.equal({ code: 0, stdout: '', stderr: '' })
      const lazily = await loaded('__load_completion() { [[ $1 == kubectl ]]; }')
      expect(lazily).to.deep.equal({ code: 0, stdout: '', stderr: '' })
      await rm(home, { recursive: true })
    },
  )
  describe('of what misses pods', () => {
    const quota = { code: 'FailedCreate', message: 'exceeded quota: q' }
    const deadline = {
      code: 'ProgressDeadlineExceeded',
      message: 'ReplicaSet "x" has timed out progressing.',
    }
    const unscheduled = { code: 'Unschedulable', message: '0/3 nodes are available' }
    const few = { ready_replicas: 1 }
    const workloads = [
      aRecord('web'),
      aRecord('quota', { ...few, late: true, trouble: quota }),
      aRecord('stuck', { ...few, late: true, trouble: deadline }),
      aRecord('pending', { ...few, operation_in_progress: true }),
    ]
    const troubles = { web: unscheduled, quota: unscheduled, stuck: unscheduled, pending: unscheduled }

    it('list says late in a word, and first of all why, without a question about pods; --state late filters', async () => {
      const { out, podsAsked } = await typed(['list'], { workloads, troubles })
      expect(rows(out)[2]?.slice(2, 4)).to.deep.equal(['late', '1/3'])
      expect(out).to.include('exceeded quota: q (FailedCreate); awake by schedule')
      expect(podsAsked).to.deep.equal([])
      const late = await typed(['list', '--state', 'late', '-o', 'name'], { workloads })
      expect(late.out).to.equal('deployment.apps/quota\ndeployment.apps/stuck\n')
    })

    it('why says why, by the pods where these say more, and asks for pods only where some are missing', async () => {
      const names = ['web', 'quota', 'stuck', 'pending']
      const { out, podsAsked } = await typed(['why', ...names], { workloads, troubles })
      expect(out).to.match(/quota is late: 1 of 3 replicas ready\n {2}pods are missing +exceeded quota: q \(/)
      expect(out).to.match(/stuck is late: .*\n {2}pods are missing +0\/3 nodes are available \(Unsch/)
      expect(out).to.match(/pending is waking: .*\n {2}pods are missing +0\/3 nodes are available/)
      expect(out.match(/pods are missing/g)).to.have.length(3)
      expect(podsAsked).to.deep.equal(['stuck', 'pending'])
    })

    it('why says of a switch what its operator does, and never a count, nor asks for pods', async () => {
      const one = { current_replicas: 1, last_replicas: 1, ready_replicas: 0, waits_for: 'operator' } as const
      const asleep = { ...one, is_snoozed: true, current_replicas: 0 }
      const { out, podsAsked } = await typed(['why', 'off', 'stops', 'late', 'on', 'cron'], {
        workloads: [
          aRecord('off', asleep),
          aRecord('stops', { ...asleep, operation_in_progress: true }),
          aRecord('late', { ...one, late: true, trouble: quota }),
          aRecord('on', { ...one, ready_replicas: 1 }),
          aRecord('cron', { ...one, ready_replicas: 1, waits_for: 'nobody' }),
        ],
      })
      expect(out.match(/^\S.*$/gm)).to.deep.equal([
        'deployment shop/off is asleep',
        'deployment shop/stops is falling asleep: its operator has not followed yet',
        'deployment shop/late is late: its operator has not followed yet',
        'deployment shop/on is awake',
        'deployment shop/cron is awake',
      ])
      expect(out)
        .to.include('  it is not ready        exceeded quota: q')
        .and.not.match(/pods|replica/)
      expect(podsAsked).to.deep.equal([])
    })

    it('why says what it knows where pods may not be read', async () => {
      const { out, code } = await typed(['why', 'stuck', 'pending'], { workloads })
      expect(out).to.include('ReplicaSet "x" has timed out progressing. (ProgressDeadlineExceeded)')
      expect({ code, lines: out.match(/pods are missing/g)?.length }).to.deep.equal({ code: 0, lines: 1 })
    })

    it('why for programs is the record as it is', async () => {
      const { out, podsAsked } = await typed(['why', 'stuck', '-o', 'json'], { workloads, troubles })
      expect(JSON.parse(out)).to.deep.include({ late: true, trouble: deadline })
      expect(podsAsked).to.deep.equal([])
    })

    it('list says why the cluster refuses, in a backoff', async () => {
      const { out } = await typed(['list'], {
        workloads: [
          aRecord('web', {
            in_backoff_period: true,
            backoff_until: '2026-03-02T12:05:00.000Z',
            reason_values: { cause: 'failure', refusal: 'two replicas at least' },
          }),
        ],
      })
      expect(out).to.include('backoff until 13:05: the cluster refused: two replicas at least\n')
    })

    it('status says why', async () => {
      const { out } = await typed(['status', 'quota'], { workloads })
      expect(out).to.include('  Pods      missing: exceeded quota: q (FailedCreate)\n')
    })

    it('the end of wake --wait says why, of as many as it names', async () => {
      const line = ['wake', 'pending', '--wait', '--timeout', '1s']
      expect((await typed(line, { workloads, troubles })).err).to.include(
        'not ready after 1s: 1 of 3 ready: 0/3 nodes are available (Unschedulable)\n',
      )
      const many = Array.from({ length: 9 }, (_, index) => aRecord(`web-${index}`, few))
      const { err, podsAsked } = await typed(['wake', '--all', '--yes', '--wait', '--timeout', '1s'], {
        workloads: many,
        troubles: { 'web-1': unscheduled },
      })
      expect(err).to.include('web-0: 1 of 3 ready, deployment shop/web-1: 1 of 3 ready: 0/3 nodes')
      expect(podsAsked).to.have.length(5)
    })

    it('a service of a former release tells nothing of it', async () => {
      const { late: _late, trouble: _trouble, ...former } = aRecord('web', few).record
      const old = [{ kind: 'deployments', record: former as StatusRecord } as const]
      for (const verb of ['list', 'why web', 'status web'])
        expect((await typed(verb.split(' '), { workloads: old })).out)
          .to.match(/awake/)
          .and.not.match(/late/)
    })
  })

  it('lists those alone that are on their way', async () => {
    const workloads = [...shop, aRecord('slow', { operation_in_progress: true })]
    const { code, out } = await typed(['list', '--state', 'waking', '-o', 'name'], { workloads })
    expect({ code, out }).to.deep.equal({ code: 0, out: 'deployment.apps/slow\n' })
  })

  it('completes commands, options, targets, namespaces and formats as kubectl asks', async () => {
    const completed = async (...words: string[]) => {
      const { out } = await inShop('__complete', ...words)
      return out.split('\n').map((line) => line.split('\t')[0])
    }
    expect(await completed('wa')).to.deep.equal(['wake', ':4', ''])
    expect(await completed('wake', '')).to.deep.equal(['deploy/web', 'deploy/cart', 'deploy/idle', ':4', ''])
    expect(await completed('wake', 'deployment/c')).to.deep.equal(['deployment/cart', ':4', ''])
    expect(await completed('wake', '--un')).to.deep.equal(['--until', ':4', ''])
    expect(await completed('list', '-n', 's')).to.deep.equal(['shop', 'staging', ':4', ''])
    expect(await completed('list', '-o', 'j')).to.deep.equal(['json', ':4', ''])
    expect(await completed('nonsense', '')).to.deep.equal([':4', ''])
    const hostile = [aRecord('$(reboot)'), aRecord('web\nx'), aRecord('web;reboot'), aRecord('good')]
    const { out } = await typed(['__complete', 'wake', ''], { workloads: hostile })
    expect(out).to.equal('deploy/good\n:4\n')
  })
})

import {
  duration,
  flag,
  list,
  NAME,
  oneOf,
  orNull,
  readText,
  section,
  SUBDOMAIN,
  text,
  whole,
} from './keys.ts'

const SECOND = 1000
const HOUR = 3_600_000

/** The section `waker` of the configuration: wakes on traffic. */
export const WAKER = section({
  enabled: flag(false),
  /** The ports of wakers that EndpointSlices name, one for each port of a Service that sleeps. */
  ports: readText('portRange', 'a range of ports such as 20000-20999', {
    default: '20000-20999',
    pattern: '^[1-9][0-9]{3,4}-[1-9][0-9]{3,4}$',
  }),
  /** fallback: only where nothing else is ready, for clusters whose traffic all goes through Services' addresses. */
  endpoints: oneOf(['ready', 'fallback'], 'ready'),
  /** How long a connection is held at most. */
  hold: duration('90s', SECOND, HOUR),
  /** Connections held at once, and of one Service. */
  held: whole(1024, 1, 100_000),
  heldPerService: whole(64, 1, 100_000),
  /** Parts of User-Agent that wake nothing, beside the built-in ones. */
  ignoreAgents: list(text('a part of User-Agent'), 'a list of parts of User-Agent', []),
  /** Whether the page names workloads and reasons. */
  details: flag(false),
  /** Texts of the page in more languages. */
  page: orNull(text('the path of a file with texts of the page')),
  /** In Dormouse's namespace: the Service of the wakers, and their ServiceAccount. */
  service: text('the name of a Service', { default: 'dormouse-waker', pattern: NAME, maxLength: 63 }),
  account: text('the name of a ServiceAccount', {
    default: 'dormouse-waker',
    pattern: SUBDOMAIN,
    maxLength: 253,
  }),
  /** Their ClusterRole, which owns the slices: these are deleted with it. */
  owner: orNull(text('the name of a ClusterRole', { pattern: SUBDOMAIN, maxLength: 253 }), 'dormouse-waker'),
  /** The API as wakers reach it, the CA that they trust, and their token. */
  knock: section({
    url: orNull(text('an https URL')),
    caFile: orNull(text('the path of a file with CA certificates in PEM')),
    tokenFile: orNull(text('the path of a file with a token')),
  }),
})

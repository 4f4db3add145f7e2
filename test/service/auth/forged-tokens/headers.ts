import { bearer, everywhere, type KnownIssuer, type Row } from './row.ts'

const NO_TOKEN = everywhere('a token is needed: send Authorization: Bearer <token>')
const TWICE = everywhere('there is more than one Authorization header: send one')
const FORM = everywhere('the Authorization header must be: Bearer <token>')
const PROXIES = ['Proxy-Authorization', 'X-Forwarded-Authorization', 'X-Forwarded-Access-Token']

/** Requests whose header is wrong, however good the token (RFC 6750, section 2). */
export const HEADERS: readonly Row<KnownIssuer>[] = [
  header('no token', NO_TOKEN, () => []),
  {
    what: 'a good token in the query',
    refused: NO_TOKEN,
    send: ({ good }) => ({ lines: [], query: `?access_token=${good}` }),
  },
  header('a good token in a cookie and in headers of proxies', NO_TOKEN, (good) => [
    ...PROXIES.map((name) => `${name}: Bearer ${good}`),
    `Cookie: token=${good}`,
  ]),
  header('two Authorization headers, the good token first', TWICE, (good) => [
    bearer(good),
    bearer('nonsense'),
  ]),
  header('two Authorization headers, the good token last', TWICE, (good) => [
    bearer('nonsense'),
    bearer(good),
  ]),
  header('two Authorization headers with the same good token', TWICE, (good) => [bearer(good), bearer(good)]),
  header('two tokens in one header', FORM, (good) => [`${bearer(good)}, Bearer ${good}`]),
  header('another scheme', FORM, (good) => [`Authorization: Basic ${good}`]),
  header('a scheme without a token', FORM, () => ['Authorization: Bearer']),
  header('a token with bytes that are not UTF-8', FORM, (good) => [bearer(`${good}\xFF\xFE`)]),
  header(
    'a token of more than 8 KiB',
    everywhere('the token is longer than 8192 characters: get a smaller one'),
    (good) => [bearer(`${good}${'A'.repeat(8192)}`)],
  ),
]

function header(
  what: string,
  refused: Row<never>['refused'],
  lines: (good: string) => readonly string[],
): Row<KnownIssuer> {
  return { what, refused, send: ({ good }) => ({ lines: lines(good) }) }
}

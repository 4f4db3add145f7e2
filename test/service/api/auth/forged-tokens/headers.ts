import { bearer, everywhere, type KnownIssuer, type Row } from './row.ts'

const NO_TOKEN = everywhere('a token is needed: send Authorization: Bearer <token>')
const TWICE = everywhere('there is more than one Authorization header: send one')
const FORM = everywhere('the Authorization header must be: Bearer <token>')

/** Requests whose header is wrong, however good the token (RFC 6750, section 2). */
export const HEADERS: readonly Row<KnownIssuer>[] = [
  { what: 'no token', refused: NO_TOKEN, send: () => ({ lines: [] }) },
  {
    what: 'a good token in the query',
    refused: NO_TOKEN,
    send: ({ good }) => ({ lines: [], query: `?access_token=${good}` }),
  },
  {
    what: 'a good token in a cookie and in headers of proxies',
    refused: NO_TOKEN,
    send: ({ good }) => ({
      lines: ['Proxy-Authorization', 'X-Forwarded-Authorization', 'X-Forwarded-Access-Token']
        .map((name) => `${name}: Bearer ${good}`)
        .concat(`Cookie: token=${good}`),
    }),
  },
  {
    what: 'two Authorization headers, the good token first',
    refused: TWICE,
    send: ({ good }) => ({ lines: [bearer(good), bearer('nonsense')] }),
  },
  {
    what: 'two Authorization headers, the good token last',
    refused: TWICE,
    send: ({ good }) => ({ lines: [bearer('nonsense'), bearer(good)] }),
  },
  {
    what: 'two Authorization headers with the same good token',
    refused: TWICE,
    send: ({ good }) => ({ lines: [bearer(good), bearer(good)] }),
  },
  {
    what: 'two tokens in one header',
    refused: FORM,
    send: ({ good }) => ({ lines: [`${bearer(good)}, Bearer ${good}`] }),
  },
  {
    what: 'another scheme',
    refused: FORM,
    send: ({ good }) => ({ lines: [`Authorization: Basic ${good}`] }),
  },
  { what: 'a scheme without a token', refused: FORM, send: () => ({ lines: ['Authorization: Bearer'] }) },
  {
    what: 'a token with bytes that are not UTF-8',
    refused: FORM,
    send: ({ good }) => ({ lines: [bearer(`${good}\xFF\xFE`)] }),
  },
  {
    what: 'a token of more than 8 KiB',
    refused: everywhere('the token is longer than 8192 characters: get a smaller one'),
    send: ({ good }) => `${good}${'A'.repeat(8192)}`,
  },
]

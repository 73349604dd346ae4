import { websocketHeaders } from '../../node/support.js'
import type { Victim } from './targets.js'
import { head } from './wire.js'

const CHUNKED = '2\r\n{}\r\n0\r\n\r\n'

/** A request whose head or body is odd. */
export const post = (headers: string, body: string, line = 'POST /ready HTTP/1.1'): string =>
  `${line}\r\nHost: localhost\r\n${headers}\r\n\r\n${body}`
export const chunks = (body: string): string => post('Transfer-Encoding: chunked', body)
export const get = (header: string): string => post(header, '', 'GET /gameserver HTTP/1.1')

const WEBSOCKET = websocketHeaders.join('\r\n')
const H2C = 'Connection: Upgrade\r\nUpgrade: h2c'

/** Comes behind each of them: is it taken for a request, or for what is left of one? */
export const NEXT = head('POST /allocate', 'Host: localhost', 'Content-Length: 2', 'Connection: close') + '{}'

/** Bytes for one server: the sidecar's paths as they are there, with a request to hide and its length. */
export function bytesFor({ at }: Pick<Victim, 'at'>, bytes: string): string {
  const hidden = head(`POST ${at('/shutdown')}`, 'Host: localhost')
  return bytes
    .replace(/ (\/(?:ready|allocate|gameserver|shutdown)) HTTP/g, (_all, path: string) => ` ${at(path)} HTTP`)
    .replace('LENGTH', String(hidden.length))
    .replace('SIZE', hidden.length.toString(16))
    .replace('HIDDEN', hidden)
}

export type Framing = [what: string, bytes: string, status?: number]

/** Node's parser from 9.4 on (Node 22, 24 and later) takes a tab for white space, and refuses an empty coding by itself. */
const isNewer = '9.4'.localeCompare(process.versions['llhttp']!, undefined, { numeric: true }) <= 0
const TAB = ['a length with a tab behind it', post('Content-Length: 2\t', '{}')] as const

/** What two programs could read in two ways. */
export const ambiguous: Readonly<Record<string, readonly Framing[]>> = {
  lengths: [
    ['a length and chunks', post('Content-Length: 2\r\nTransfer-Encoding: chunked', CHUNKED)],
    ['chunks and a length', post('Transfer-Encoding: chunked\r\nContent-Length: 12', CHUNKED)],
    ['two lengths', post('Content-Length: 2\r\nContent-Length: 3', '{} ')],
    ['the same length twice', post('Content-Length: 2\r\nContent-Length: 2', '{}')],
    ['a list of lengths', post('Content-Length: 2, 2', '{}')],
    ['a length with a plus', post('Content-Length: +2', '{}')],
    ['a negative length', post('Content-Length: -2', '{}')],
    ['a length in hexadecimal', post('Content-Length: 0x2', '{}')],
    ['a length with a blank in it', post('Content-Length: 0 2', '{}')],
    ...(isNewer ? [] : [[...TAB] satisfies Framing]),
    ['a length behind a vertical tab', post('Content-Length:\x0b2', '{}')],
    ['an empty length', post('Content-Length: ', '{}')],
    ['a length over 2^64', post('Content-Length: 18446744073709551618', '{}')],
    ['a blank before the colon of a length', post('Content-Length : 2', '{}')],
  ],
  codings: [
    ['chunked twice', post('Transfer-Encoding: chunked, chunked', CHUNKED)],
    ['chunked in two headers', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked', CHUNKED)],
    ['chunked, then identity', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', CHUNKED)],
    ['a coding that only ends in chunked', post('Transfer-Encoding: xchunked', CHUNKED), 501],
    ['chunked with a parameter', post('Transfer-Encoding: chunked;q=1', CHUNKED), 501],
    ['chunked in quotes', post('Transfer-Encoding: "chunked"', CHUNKED), 501],
    ['chunked with a comma', post('Transfer-Encoding: chunked,', CHUNKED)],
    ['chunked behind a comma', post('Transfer-Encoding: ,chunked', CHUNKED), 501],
    ['gzip in chunks', post('Transfer-Encoding: gzip, chunked', CHUNKED), 501],
    ['chunks in gzip', post('Transfer-Encoding: chunked, gzip', CHUNKED)],
    ['gzip', post('Transfer-Encoding: gzip', '{}'), 501],
    ['identity', post('Transfer-Encoding: identity', '{}'), 501],
    ['identity with a length', post('Transfer-Encoding: identity\r\nContent-Length: 2', '{}')],
    ['no coding at all', post('Transfer-Encoding: ', CHUNKED), isNewer ? 400 : 501],
    ['a vertical tab', post('Transfer-Encoding: \x0bchunked', CHUNKED)],
    ['a blank before its colon', post('Transfer-Encoding : chunked', CHUNKED)],
    ['a folded line', post('Transfer-Encoding:\r\n chunked', CHUNKED)],
    ['a line that begins with a blank', post(' Transfer-Encoding: chunked', CHUNKED)],
    ['HTTP/1.0', post('Transfer-Encoding: chunked', CHUNKED, 'POST /ready HTTP/1.0')],
  ],
  chunks: [
    ['a size with 0x', chunks('0x2\r\n{}\r\n0\r\n\r\n')],
    ['a size with a plus', chunks('+2\r\n{}\r\n0\r\n\r\n')],
    ['a negative size', chunks('-2\r\n{}\r\n0\r\n\r\n')],
    ['a blank before a size', chunks(' 2\r\n{}\r\n0\r\n\r\n')],
    ['a blank behind a size', chunks('2 \r\n{}\r\n0\r\n\r\n')],
    ['no size', chunks('\r\n{}\r\n0\r\n\r\n')],
    ['a size over 2^64', chunks('10000000000000002\r\n{}\r\n0\r\n\r\n')],
    ['a size of many digits', chunks(`${'f'.repeat(40)}\r\n{}\r\n0\r\n\r\n`)],
    ['lines that end in LF', chunks('2\n{}\n0\n\n')],
    ['a size that ends in LF', chunks('2\n{}\r\n0\r\n\r\n')],
    ['a size that ends in CR CR LF', chunks('2\r\r\n{}\r\n0\r\n\r\n')],
    ['an extension with LF', chunks('2;a=\nb\r\n{}\r\n0\r\n\r\n')],
    ['an extension with a quoted line end', chunks('2;a="\r\nx"\r\n{}\r\n0\r\n\r\n')],
    ['endless extensions', chunks(`2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`)],
    ['data that ends in CR', chunks('2\r\n{}\r0\r\n\r\n')],
    ['data without an end', chunks('2\r\n{}0\r\n\r\n')],
    ['more data than said', chunks('2\r\n{}}\r\n0\r\n\r\n')],
    ['a last chunk that ends in LF', chunks('2\r\n{}\r\n0\n\r\n')],
    ['a length in the trailer', chunks('2\r\n{}\r\n0\r\nContent-Length: 30\r\n\r\n')],
    ['a coding in the trailer', chunks('2\r\n{}\r\n0\r\nTransfer-Encoding: gzip, chunked\r\n\r\n')],
    ['a request for a trailer', chunks('2\r\n{}\r\n0\r\nPOST /shutdown HTTP/1.1\r\n\r\n')],
    ['a trailer over 16 KiB', chunks(`2\r\n{}\r\n0\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`), 431],
  ],
  lines: [
    ['LF alone', 'GET /gameserver HTTP/1.1\nHost: localhost\n\n'],
    ['one LF among CR LF', get('X: a\nY: b')],
    ['a head that ends in LF', 'GET /gameserver HTTP/1.1\r\nHost: localhost\r\n\n'],
    ['CR alone', 'GET /gameserver HTTP/1.1\rHost: localhost\r\r'],
    ['CR in a value', get('X: a\rTransfer-Encoding: chunked')],
    ['CR before a name', get('\rX: a')],
    ['CR CR LF', get('X: a\r')],
    ['a folded line', get('A: b\r\n c')],
    ['NUL in a value', get('X: a\0b')],
    ['a head over 16 KiB', get(`X: ${'a'.repeat(17_000)}`), 431],
    ['a blank before the request', ` ${get('X: a')}`],
    ['a tab for a blank', 'GET\t/gameserver\tHTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['a blank behind the version', 'GET /gameserver HTTP/1.1 \r\nHost: localhost\r\n\r\n'],
    ['a blank in the target', 'GET /gameserver /ready HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['a relative target', 'GET gameserver HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['HTTP/0.9', 'GET /gameserver\r\n'],
    ['HTTP/0.9 that says so', 'GET /gameserver HTTP/0.9\r\nHost: localhost\r\n\r\n', 505],
    ['HTTP/2.0 in words', 'GET /gameserver HTTP/2.0\r\nHost: localhost\r\n\r\n', 505],
    ['HTTP/1.2', 'GET /gameserver HTTP/1.2\r\nHost: localhost\r\n\r\n'],
    ['HTTP/1.10', 'GET /gameserver HTTP/1.10\r\nHost: localhost\r\n\r\n'],
    ['http/1.1', 'GET /gameserver http/1.1\r\nHost: localhost\r\n\r\n'],
    ["HTTP/2's preface", 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['another protocol', 'EHLO localhost\r\n'],
    ['garbage', 'blah\r\n\r\n'],
    ['a method that HTTP has not', 'FOO /gameserver HTTP/1.1\r\nHost: localhost\r\n\r\n', 501],
    ['a method in lower case', 'get /gameserver HTTP/1.1\r\nHost: localhost\r\n\r\n', 501],
    ['CONNECT', 'CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ],
  upgrades: [
    ['a length', get(`${WEBSOCKET}\r\nContent-Length: 2`) + '{}'],
    ['chunks', get(`${WEBSOCKET}\r\nTransfer-Encoding: chunked`) + CHUNKED],
    ['another protocol and a length', post(`${H2C}\r\nContent-Length: 2`, '{}')],
    ['another protocol and chunks', post(`${H2C}\r\nTransfer-Encoding: chunked`, CHUNKED)],
  ],
}

/** What can be read in one way only, and the operation that it is. */
export const clear: readonly [what: string, bytes: string, operation: string][] = [
  ['a length with zeros in front', post('Content-Length: 0002', '{}'), 'ready'],
  ...(isNewer ? [[...TAB, 'ready'] satisfies (typeof clear)[number]] : []),
  ['CHUNKED behind a tab', post('Transfer-Encoding:\tChUnKeD', CHUNKED), 'ready'],
  ['a size with zeros in front', chunks(`${'0'.repeat(200)}2\r\n{}\r\n0\r\n\r\n`), 'ready'],
  ['an extension', chunks('2;a=b;c="d"\r\n{}\r\n0;e\r\n\r\n'), 'ready'],
  ['chunked with an underscore', post('Transfer_Encoding: chunked\r\nContent-Length: 2', '{}'), 'ready'],
  ['a trailer', chunks('2\r\n{}\r\n0\r\nX-A: b\r\n\r\n'), 'ready'],
  ['a request inside a body', post('Content-Length: LENGTH', 'HIDDEN'), 'refused'],
  ['a request inside the body of a GET', `${get('Content-Length: LENGTH')}HIDDEN`, 'getGameServer'],
  ['a request inside a chunk', chunks('SIZE\r\nHIDDEN\r\n0\r\n\r\n'), 'refused'],
  ['blank lines before it', `\r\n\r\n${get('X: a')}`, 'getGameServer'],
  ['an expectation', post('Expect: 100-continue\r\nContent-Length: 2', '{}'), 'ready'],
  ['Connection: Host', post('Connection: Host, Content-Length\r\nContent-Length: 2', '{}'), 'ready'],
  ['an offer of HTTP/2', get('Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA'), 'getGameServer'],
]

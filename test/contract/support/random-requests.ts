import fc from 'fast-check'
import type { Request } from './wire-case.js'

export interface RandomRequest extends Request {
  call: string
}

const field = fc.constantFrom('key', 'value', 'values', 'count', 'capacity', 'countDiff', 'seconds', 'name')
const oddFields = ['x', '', 'Key', 'count_diff', 'updateMask', '__proto__', 'é', '\\u006bey', '\\ud800']
const oddField = fc.constantFrom(...oddFields)

const integer = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -3, max: 120 }).map(String) },
  { weight: 2, arbitrary: fc.integer({ min: -3, max: 120 }).map((value) => `"${value}"`) },
  fc.constantFrom('1e1', '1.0', '"1e2"', '10.5', '0', '-0', '1E0', '100e-1', '1e-1'),
  fc.constantFrom('00', '"007"', '" 5"', '-', '5.', '0x5', '""'),
  fc.constantFrom('9007199254740993', '"9223372036854775807"', '9223372036854775808', '1e19', '-1e3'),
)
const word = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('test0', 'test1', 'test2', 'a', 'b', 'c', '', 'a b', 'a/b') },
  fc.string({ maxLength: 4, unit: 'grapheme' }),
)
const text = fc.oneof(
  { weight: 6, arbitrary: word.map((value) => JSON.stringify(value)) },
  fc.constantFrom('"\\u0000"', '"\\ud83d\\ude00"', '"\\/\\b"', '"\u2028"'),
  fc.constantFrom('"\\ud83d"', '"\\udc00x"', '"\\x"', '"\\u12"', '"a\tb"'),
)
const scalar = fc.oneof(integer, text, fc.constantFrom('null', 'true', 'false', '{}', '[]', 'NaN', "'a'"))
const { value: json } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
    fc
      .array(fc.tuple(fc.oneof(field, oddField), tie('value')), { maxLength: 3 })
      .map((entries) => `{${entries.map(([key, value]) => `"${key}":${value}`).join(',')}}`),
  ),
}))

const strings = fc.array(text, { maxLength: 4 }).map((items) => `[${items.join(',')}]`)

/** An object of the given fields, each there or not, twice or of a wrong kind now and then. */
const objectOf = (fields: Readonly<Record<string, fc.Arbitrary<string>>>): fc.Arbitrary<string> => {
  const entries = Object.entries(fields).map(([key, arbitrary]) =>
    fc.oneof({ weight: 12, arbitrary }, json).map((value) => `"${key}":${value}`),
  )
  const odd = fc.tuple(fc.oneof(field, oddField), json).map(([key, value]) => `"${key}":${value}`)
  const some = fc.array(fc.oneof({ weight: 12, arbitrary: fc.oneof(...entries) }, odd), { maxLength: 3 })
  const space = fc.constantFrom('', '', '', ' ', '\n', '\t ')
  return fc.tuple(some, space).map(([all, between]) => `{${between}${all.join(`,${between}`)}${between}}`)
}

/** Cuts, doubles or replaces a piece of a text. */
const damaged = (arbitrary: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(arbitrary, fc.nat(60), fc.nat(3), fc.constantFrom(...'{}[]",:\\ 0-.ex\u00e9', ''))
    .map(([whole, at, length, instead]) => whole.slice(0, at) + instead + whole.slice(at + length))

const bodyOf = (fields: Readonly<Record<string, fc.Arbitrary<string>>>): fc.Arbitrary<string | undefined> =>
  fc.oneof(
    { weight: 12, arbitrary: objectOf(fields) },
    { weight: 2, arbitrary: damaged(objectOf(fields)) },
    json,
    fc.constantFrom(undefined, '', ' ', '{}{}', '{} x'),
  )

const listName = fc.constantFrom('players', 'players', 'players', 'nope', 'rooms', 'play%65rs', '', 'a:b')
const counterName = fc.constantFrom('rooms', 'rooms', 'rooms', 'nope', 'players', 'roo%6ds', '', 'a%20b')
const maskPart = fc.constantFrom('capacity', 'values', 'name', 'foo', '', ' values', 'capacity.x')
const mask = fc.array(maskPart, { minLength: 1, maxLength: 3 }).map((parts) => encodeURIComponent(parts.join(',')))
const query = fc.oneof(
  { weight: 5, arbitrary: fc.constant('') },
  { weight: 3, arbitrary: mask.map((value) => `?updateMask=${value}`) },
  mask.map((value) => `?update_mask=${value}&x=1`),
  fc.constantFrom('?', '?x', '?x=%zz', '?a;b', '?updateMask', '?list.capacity=3', '?list=1', '?a[b]=c'),
  fc.constant('?updateMask=capacity&updateMask=values'),
)

interface Shape {
  method: string
  path: fc.Arbitrary<string>
  body: fc.Arbitrary<string | undefined>
}

const none = fc.constant(undefined)
const nothing = bodyOf({ x: json })
// Longer times overflow, and some of those are over at once.
const seconds = fc.constantFrom('0', '"60"', '-1', '60.0', '6e1', '"-0"')
const verb = fc.constantFrom('addValue', 'removeValue')
const shapes: readonly Shape[] = [
  { method: 'POST', path: fc.constantFrom('/ready', '/allocate', '/shutdown', '/health'), body: nothing },
  { method: 'POST', path: fc.constant('/reserve'), body: bodyOf({ seconds }) },
  { method: 'GET', path: fc.constantFrom('/gameserver', '/alpha/player/count'), body: none },
  {
    method: 'PUT',
    path: fc.constantFrom('/metadata/label', '/metadata/annotation'),
    body: bodyOf({ key: text, value: text }),
  },
  { method: 'GET', path: counterName.map((name) => `/v1beta1/counters/${name}`), body: none },
  { method: 'GET', path: listName.map((name) => `/v1beta1/lists/${name}`), body: none },
  {
    method: 'PATCH',
    path: counterName.map((name) => `/v1beta1/counters/${name}`),
    body: bodyOf({ count: integer, capacity: integer, countDiff: integer }),
  },
  {
    method: 'PATCH',
    path: fc.tuple(listName, query).map(([name, more]) => `/v1beta1/lists/${name}${more}`),
    body: bodyOf({ capacity: integer, values: strings, name: text }),
  },
  {
    method: 'POST',
    path: fc.tuple(listName, verb).map((parts) => `/v1beta1/lists/${parts.join(':')}`),
    body: bodyOf({ value: text, name: text }),
  },
]

const method = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS')
const pathPieces = ['/', '//', '%2F', '%', '%41', '.', '..', ':', ';', '?', '#', '\\', 'x', '+', '&', '=']
const pathPiece = fc.constantFrom(...pathPieces)
const oddPath = (path: string): fc.Arbitrary<string> =>
  fc.tuple(fc.nat(40), fc.nat(3), pathPiece).map(([at, length, piece]) => {
    const changed = path.slice(0, at) + piece + path.slice(at + length)
    // Without its slash a target is no path: that is another test. A watch never ends.
    return changed.startsWith('/') && !changed.startsWith('/watch') ? changed : path
  })

const headers = fc.constantFrom<Request['headers']>(
  { 'Content-Type': 'text/plain' },
  { 'Content-Type': null },
  { 'Content-Type': 'application/octet-stream' },
  { Accept: 'text/html' },
)

const requestOf = ({ method: usual, path, body }: Shape): fc.Arbitrary<RandomRequest> =>
  fc
    .record({
      method: fc.oneof({ weight: 14, arbitrary: fc.constant(usual) }, method),
      path: path.chain((it) => fc.oneof({ weight: 14, arbitrary: fc.constant(it) }, oddPath(it))),
      body,
      headers: fc.oneof({ weight: 14, arbitrary: fc.constant(undefined) }, headers),
      chunked: fc.oneof({ weight: 14, arbitrary: fc.constant(false) }, fc.constant(true)),
    })
    .map((it) => {
      const bodyless = it.body === undefined || it.method === 'GET' || it.method === 'HEAD'
      return {
        // The real one gives a HEAD with a bad escape a body, which no client can read.
        call: `${it.method} ${it.method === 'HEAD' ? it.path.replace(/%/g, '') : it.path}`,
        ...(bodyless ? {} : { body: it.body ?? '', chunked: it.chunked }),
        ...(it.headers ? { headers: it.headers } : {}),
      }
    })

/** A few requests in a row, most of them sensible, all of them the same for the same seed. */
export const randomRequests: fc.Arbitrary<RandomRequest[]> = fc.array(fc.oneof(...shapes.map(requestOf)), {
  minLength: 1,
  maxLength: 8,
})

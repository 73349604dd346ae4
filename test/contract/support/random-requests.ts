import fc from 'fast-check'
import type { Request } from './wire-case.js'

export interface RandomRequest extends Request {
  call: string
}

const integer = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -3, max: 120 }).map(String) },
  fc.integer({ min: -3, max: 120 }).map((value) => `"${value}"`),
  fc.constantFrom('1e1', '10.5', '-0', '" 5"', 'null', '"9223372036854775807"', '9223372036854775808'),
)
const text = fc
  .oneof(
    { weight: 4, arbitrary: fc.constantFrom('test0', 'test1', 'test2', 'a', 'b', 'c', '', 'a b', 'a/b') },
    fc.string({ maxLength: 4, unit: 'grapheme' }),
  )
  .map((value) => JSON.stringify(value))
const strings = fc.array(text, { maxLength: 4 }).map((items) => `[${items.join(',')}]`)

/** An object with some of the fields, now and then twice or with a value of another kind. The tables hold what is no JSON. */
const objectOf = (fields: Readonly<Record<string, fc.Arbitrary<string>>>): fc.Arbitrary<string> => {
  const odd = fc.constantFrom('1', '"x"', 'true', '{}', '[]', 'null')
  const entries = Object.entries({ ...fields, other: odd }).map(([key, arbitrary]) =>
    fc.oneof({ weight: 12, arbitrary }, odd).map((value) => `"${key}":${value}`),
  )
  return fc.array(fc.oneof(...entries), { maxLength: 3 }).map((all) => `{${all.join(',')}}`)
}

const listName = fc.constantFrom('players', 'players', 'players', 'nope', 'rooms', 'play%65rs', '', 'a:b')
const counterName = fc.constantFrom('rooms', 'rooms', 'rooms', 'nope', 'players', 'roo%6ds', '', 'a%20b')
const maskPart = fc.constantFrom('capacity', 'values', 'name', 'foo', '')
const mask = fc.array(maskPart, { minLength: 1, maxLength: 3 }).map((parts) => `?updateMask=${parts.join(',')}`)
// Longer times overflow, and some of those are over at once.
const seconds = fc.constantFrom('0', '"60"', '-1', '60.0', '6e1', '"-0"')
const verb = fc.constantFrom('addValue', 'removeValue')

interface Shape {
  method: string
  path: fc.Arbitrary<string>
  body?: fc.Arbitrary<string>
}

const shapes: readonly Shape[] = [
  { method: 'POST', path: fc.constantFrom('/ready', '/allocate', '/shutdown', '/health'), body: objectOf({}) },
  { method: 'POST', path: fc.constant('/reserve'), body: objectOf({ seconds }) },
  { method: 'GET', path: fc.constantFrom('/gameserver', '/alpha/player/count') },
  {
    method: 'PUT',
    path: fc.constantFrom('/metadata/label', '/metadata/annotation'),
    body: objectOf({ key: text, value: text }),
  },
  { method: 'GET', path: counterName.map((name) => `/v1beta1/counters/${name}`) },
  { method: 'GET', path: listName.map((name) => `/v1beta1/lists/${name}`) },
  {
    method: 'PATCH',
    path: counterName.map((name) => `/v1beta1/counters/${name}`),
    body: objectOf({ count: integer, capacity: integer, countDiff: integer }),
  },
  {
    method: 'PATCH',
    path: fc.tuple(listName, fc.oneof(fc.constant(''), mask)).map(([name, query]) => `/v1beta1/lists/${name}${query}`),
    body: objectOf({ capacity: integer, values: strings, name: text }),
  },
  {
    method: 'POST',
    path: fc.tuple(listName, verb).map((parts) => `/v1beta1/lists/${parts.join(':')}`),
    body: objectOf({ value: text, name: text }),
  },
]

const requestOf = ({ method, path, body }: Shape): fc.Arbitrary<RandomRequest> =>
  fc
    .tuple(path, body ?? fc.constant(undefined))
    .map(([at, content]) => ({ call: `${method} ${at}`, ...(content === undefined ? {} : { body: content }) }))

/** A few requests in a row, the same ones for the same seed: they are about what each leaves behind for the next. */
export const randomRequests: fc.Arbitrary<RandomRequest[]> = fc.array(fc.oneof(...shapes.map(requestOf)), {
  minLength: 1,
  maxLength: 8,
})

import type { Answer, WireCase } from '../support/wire-case.js'
import { malformed, ok, one, refused, rooms, seen } from '../support/wire-case.js'

const max = 9223372036854775807n

/** JSON texts that are taken for an int64, and which. */
const taken: readonly (readonly [text: string, value: bigint])[] = [
  ['10', 10n],
  ['"10"', 10n],
  ['10.0', 10n],
  ['"10.0"', 10n],
  ['1e1', 10n],
  ['"1e1"', 10n],
  ['1E1', 10n],
  ['1e+1', 10n],
  ['100e-1', 10n],
  ['0.5e1', 5n],
  ['1.0e0', 1n],
  ['1.0000000000000000000000000', 1n],
  ['0', 0n],
  ['"0"', 0n],
  ['-0', 0n],
  ['"-0"', 0n],
  ['0.0', 0n],
  ['0e99999999999', 0n],
  ['null', 0n],
  ['"\\u0031\\u0030"', 10n],
  ['-1', -1n],
  ['"-1"', -1n],
  ['9007199254740993', 9007199254740993n],
  ['"9007199254740993"', 9007199254740993n],
  ['1e18', 1000000000000000000n],
  ['9223372036854775807', max],
  ['"9223372036854775807"', max],
  ['9223372036854775807.0', max],
  ['9.223372036854775807e18', max],
  ['-9223372036854775808', -max - 1n],
  ['"-9223372036854775808"', -max - 1n],
]

/** Texts that are no int64, some of them no JSON either. */
const wrong = [
  '1e-1',
  '"1e-1"',
  '10.5',
  '"10.5"',
  '""',
  '" 10"',
  '"10 "',
  '" "',
  '"+10"',
  '"00"',
  '"010"',
  '"0x10"',
  '"1_0"',
  '"ten"',
  '"NaN"',
  '"Infinity"',
  '"null"',
  '"١"',
  'true',
  'false',
  '9223372036854775808',
  '"9223372036854775808"',
  '9.223372036854775808e18',
  '-9223372036854775809',
  '1e19',
  '"1e19"',
  '1e-400',
  '1e400',
  '"1e400"',
  '10.00000000000000000000000001',
  '"10\\n"',
  '[]',
  '[10]',
  '{}',
  '{"value":10}',
  '+10',
  '00',
  '010',
]

/** One field of one call, in every spelling. */
const spellings = (
  build: (text: string) => { name: string; call: string; body: string },
  expect: (value: bigint, text: string) => Answer,
): WireCase[] => {
  const asCase = (text: string, answer: Answer): WireCase => {
    const { name, call, body } = build(text)
    return one(name, call, body, answer)
  }
  return [
    ...taken.map(([text, value]) => asCase(text, expect(value, text))),
    ...wrong.map((text) => asCase(text, malformed)),
  ]
}

const outOfRange = (count: bigint, capacity: bigint): Answer =>
  refused(`out of range. Count must be within range [0,Capacity]. Found Count: ${count}, Capacity: ${capacity}`)

const counts = spellings(
  (text) => ({
    name: `a count of ${text}`,
    call: 'PATCH /v1beta1/counters/rooms',
    body: `{"count":${text},"capacity":"${max}"}`,
  }),
  (value, text) => {
    if (text === 'null') return ok(rooms('1', `${max}`))
    return value < 0n ? outOfRange(value, max) : ok(rooms(`${value}`, `${max}`))
  },
)

const differences = spellings(
  (text) => ({
    name: `a difference of ${text}`,
    call: 'PATCH /v1beta1/counters/rooms',
    body: `{"capacity":"${max}","countDiff":${text}}`,
  }),
  (value) => {
    // Sums wrap around as an int64 does.
    const sum = BigInt.asIntN(64, 1n + value)
    return sum < 0n ? outOfRange(sum, max) : ok(rooms(`${sum}`, `${max}`))
  },
)

const capacities = spellings(
  (text) => ({
    name: `a capacity of ${text}`,
    call: 'PATCH /v1beta1/counters/rooms',
    body: `{"capacity":${text}}`,
  }),
  (value, text) => {
    if (text === 'null') return ok(rooms())
    if (value >= 0n) return ok(rooms('1', `${value}`))
    return refused(`out of range. Capacity must be greater than or equal to 0. Found Capacity: ${value}`)
  },
)

const listCapacities = spellings(
  (text) => ({
    name: `a list capacity of ${text}`,
    call: 'PATCH /v1beta1/lists/players',
    body: `{"capacity":${text}}`,
  }),
  (value) => {
    if (value < 0n || value > 100n) {
      return refused(`out of range. Capacity must be within range [0,1000]. Found Capacity: ${value}`)
    }
    const values = ['test0', 'test1', 'test2'].slice(0, Number(value))
    return ok({ name: 'players', capacity: `${value}`, values })
  },
)

const seconds = spellings(
  (text) => ({ name: `seconds of ${text}`, call: 'POST /reserve', body: `{"seconds":${text}}` }),
  () => ok(),
).map((row) => {
  const status = row.steps[0]?.expect.status
  const value = taken.find(([text]) => row.name === `seconds of ${text}`)?.[1] ?? 0n
  // A time that overflows may be over at once: its state is told by the watch alone.
  if (value > 9223372036n) return row
  return { ...row, steps: [...row.steps, seen(status === 200 ? { state: 'Reserved' } : {})] }
})

/** How integers are spelled, in every field that has one. */
export const int64Cases: readonly WireCase[] = [...counts, ...differences, ...capacities, ...listCapacities, ...seconds]

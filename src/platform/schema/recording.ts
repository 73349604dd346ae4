import * as v from 'valibot'
import { show } from '../sidecar/state/show.js'
import { recordingVersion } from '../sidecar/recording/recording-lines.js'
import type { RecordingLine } from '../sidecar/recording/recording-lines.js'
import { anything, InvalidInput, leaf, list, looseObject, mustBe, nullish, optional, read, record } from './check.js'
import { text, variants } from './check.js'

/** A line that isn't JSON, such as a truncated one. */
export class TornLine extends InvalidInput {}

// 1e999 is a number of JSON, and infinite.
const number = v.pipe(v.number(mustBe('a number')), v.finite(mustBe('a number')))
const int64 = leaf('an integer', (value) =>
  typeof value === 'string' ? /^-?\d{1,19}$/.test(value) : Number.isSafeInteger(value),
)
const texts = v.nullish(record(text))
const method = leaf(
  'the method of a request',
  (value) => typeof value === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(value),
)
const target = leaf(
  'the target of a request',
  (value) => typeof value === 'string' && /^[^\s\p{Cc}\p{Cs}]*$/u.test(value),
)
const header = leaf(
  'a header without line ends and control characters',
  (value) => typeof value === 'string' && !/[^\t\x20-\x7e\x80-\xff]/.test(value),
)
const version = v.pipe(
  number,
  v.maxValue(
    recordingVersion,
    ({ input }) =>
      `must be ${recordingVersion} or older; got ${input}; it is of a newer gameserver-sidecar, so update this one`,
  ),
)

const gameServer = looseObject({
  object_meta: looseObject({ name: text, uid: text, labels: texts, annotations: texts }),
  status: looseObject({
    state: text,
    counters: v.nullish(record(looseObject(optional({ count: int64, capacity: int64 })))),
    lists: v.nullish(record(looseObject({ ...optional({ capacity: int64 }), ...nullish({ values: list(text) }) }))),
  }),
})

/** The fields of an event that a replay reads. Events of newer kinds are ignored. */
const event = variants(
  {
    control: looseObject({ command: looseObject({ type: text }) }),
    call: looseObject({ call: looseObject({ operation: text }) }),
  },
  anything,
)

const line = variants({
  recording: looseObject({ version }),
  gameserver: looseObject({ at: number, gameServer }),
  entry: looseObject({ entry: looseObject({ seq: number, at: number, event }) }),
  exchange: looseObject({
    seq: number,
    request: looseObject({ method, target, body: text, headers: v.nullish(record(header)) }),
    response: v.optional(looseObject({ status: number, body: text, headers: texts })),
  }),
  connection: looseObject({ at: number, state: text }),
})

/** Reads a line of a recording, of an export or of `watch --json`. @throws InvalidInput, TornLine */
export function readLine(text: string): RecordingLine {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new TornLine({ message: `the line must be a JSON object; got ${show(text)}`, path: [] })
  }
  return read(line, value, 'the line') as RecordingLine
}

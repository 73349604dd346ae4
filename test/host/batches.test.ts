import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  BATCH_BYTES,
  BatchWriter,
  OPERATIONS,
  readBatch,
  readClose,
  readNumber,
  readOpen,
  readText,
  type Frame,
} from '../../src/host/wire/batches.js'

/** A method of the writer, and its arguments. */
type Step = readonly [method: 'open' | 'data' | 'close' | 'taken' | 'waiting' | 'flush', ...given: unknown[]]

const u32 = fc.integer({ min: 0, max: 0xffff_ffff })
const text = fc.string({ unit: 'binary', maxLength: 30 })
const data = fc.oneof(text, fc.uint8Array({ maxLength: 60 }))
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(fc.constant('open' as const), u32, fc.ipV6(), fc.webPath()),
  fc.tuple(fc.constant('data' as const), u32, data),
  fc.tuple(fc.constant('close' as const), u32, fc.integer({ min: 1000, max: 4999 }), text),
  fc.tuple(fc.constant('taken' as const), u32),
  fc.tuple(fc.constant('waiting' as const), u32, u32),
  fc.tuple(fc.constant('flush' as const)),
)

/** The batches that a writer makes of these steps. */
function batchesOf(steps: readonly Step[]): Frame[][] {
  const batches: Frame[][] = []
  const writer = new BatchWriter((batch) => void batches.push([...readBatch(batch.slice())]))
  for (const [method, ...given] of steps) (writer[method] as (...given: unknown[]) => void).apply(writer, given)
  writer.flush()
  return batches
}

/** The step that has written a frame. */
function stepOf({ connection, operation, isBinary, payload }: Frame): Step {
  switch (operation) {
    case OPERATIONS.open:
      return ['open', connection, ...Object.values(readOpen(payload))]
    case OPERATIONS.data:
      return ['data', connection, isBinary ? payload.slice() : readText(payload)]
    case OPERATIONS.close:
      return ['close', connection, ...Object.values(readClose(payload))]
    case OPERATIONS.taken:
      return ['taken', readNumber(payload)]
    default:
      return ['waiting', connection, readNumber(payload)]
  }
}

test('batches between the host and the page carry all writes in order', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const read = batchesOf(steps).flatMap((frames) => frames.map(stepOf))
      expect(read).toEqual(steps.filter(([method]) => method !== 'flush'))
    }),
  )
})

test('batches are cut between frames, and only a single message exceeds the limit', () => {
  const sizes = fc.array(fc.nat(BATCH_BYTES * 2), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(sizes, fc.boolean(), (lengths, isText) => {
      const messages = lengths.map((length) => (isText ? 'é'.repeat(length / 2) : new Uint8Array(length)))
      const batches = batchesOf(messages.map((message) => ['data', 7, message])).map((frames) =>
        frames.map(({ payload }) => payload.byteLength),
      )
      for (const batch of batches.filter((batch) => batch.length > 1)) {
        expect(batch.reduce((sum, length) => sum + length + 10)).toBeLessThanOrEqual(BATCH_BYTES - 10)
      }
      expect(batches.flat()).toEqual(messages.map((message) => Buffer.byteLength(message)))
    }),
    { numRuns: 30 },
  )
})

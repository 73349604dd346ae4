import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
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

type Step =
  | ['open', connection: number, address: string, url: string]
  | ['text', connection: number, text: string]
  | ['bytes', connection: number, bytes: Uint8Array]
  | ['close', connection: number, code: number, reason: string]
  | ['taken', batches: number]
  | ['waiting', connection: number, bytes: number]
  | ['flush']

const u32 = fc.integer({ min: 0, max: 0xffff_ffff })
const connection = fc.integer({ min: 1, max: 0xffff_ffff })
const wellFormed = fc.string({ unit: 'binary', maxLength: 40 })
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(fc.constant('open' as const), connection, fc.ipV6(), fc.webPath()),
  fc.tuple(fc.constant('text' as const), connection, wellFormed),
  fc.tuple(fc.constant('bytes' as const), connection, fc.uint8Array({ maxLength: 60 })),
  fc.tuple(
    fc.constant('close' as const),
    connection,
    fc.integer({ min: 1000, max: 4999 }),
    fc.string({ unit: 'binary', maxLength: 30 }),
  ),
  fc.tuple(fc.constant('taken' as const), u32),
  fc.tuple(fc.constant('waiting' as const), connection, u32),
  fc.tuple(fc.constant('flush' as const)),
)

function write(writer: BatchWriter, step: Step): void {
  if (step[0] === 'open') writer.open(step[1], step[2], step[3])
  else if (step[0] === 'text' || step[0] === 'bytes') writer.data(step[1], step[2])
  else if (step[0] === 'close') writer.close(step[1], step[2], step[3])
  else if (step[0] === 'taken') writer.taken(step[1])
  else if (step[0] === 'waiting') writer.waiting(step[1], step[2])
  else writer.flush()
}

function read({ connection, operation, isBinary, payload }: Frame): Step {
  if (operation === OPERATIONS.open) {
    const { remoteAddress, url } = readOpen(payload)
    return ['open', connection, remoteAddress, url]
  }
  if (operation === OPERATIONS.data) {
    return isBinary ? ['bytes', connection, payload.slice()] : ['text', connection, readText(payload)]
  }
  if (operation === OPERATIONS.close) {
    const { code, reason } = readClose(payload)
    return ['close', connection, code, reason]
  }
  if (operation === OPERATIONS.taken) return ['taken', readNumber(payload)]
  return ['waiting', connection, readNumber(payload)]
}

/** The batches that a writer makes of these steps. */
function batchesOf(steps: readonly Step[]): Uint8Array[] {
  const batches: Uint8Array[] = []
  const writer = new BatchWriter((batch) => void batches.push(batch.slice()))
  for (const one of steps) write(writer, one)
  writer.flush()
  return batches
}

const framesOf = (batch: Uint8Array): Frame[] => [...readBatch(batch)]

describe('batches between the host and the page', () => {
  test('batches carry all writes in order, wherever they are cut', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const said = batchesOf(steps).flatMap((batch) => framesOf(batch).map(read))
        expect(said).toEqual(steps.filter(([name]) => name !== 'flush'))
      }),
    )
  })

  test('batches are cut between frames, and only a single message exceeds the limit', () => {
    const sizes = fc.array(fc.nat(BATCH_BYTES * 2), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(sizes, fc.boolean(), (lengths, isText) => {
        const steps = lengths.map((length): Step =>
          isText ? ['text', 7, 'é'.repeat(length / 2)] : ['bytes', 7, new Uint8Array(length)],
        )
        const batches = batchesOf(steps)
        for (const batch of batches) {
          const frames = framesOf(batch)
          expect(frames.length > 1 && batch.byteLength > BATCH_BYTES).toBe(false)
        }
        const read = batches.flatMap((batch) => framesOf(batch).map(({ payload }) => payload.byteLength))
        expect(read).toEqual(steps.map(([, , data]) => Buffer.byteLength(data as string | Uint8Array)))
      }),
      { numRuns: 30 },
    )
  })

  test('batches replace lone surrogates as a WebSocket does', () => {
    const [batch] = batchesOf([['text', 1, 'a\ud800b']])
    expect(readText(framesOf(batch!)[0]!.payload)).toBe('a\ufffdb')
  })
})

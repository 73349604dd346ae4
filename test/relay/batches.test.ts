import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BatchWriter, readBatch, readClose, readNumber, readOpen, readText } from '../../src/relay/batches.js'
import type { Frame } from '../../src/relay/batches.js'
import { BATCH_BYTES, FROM_HOST, FROM_PAGE, HEAD_BYTES, OPERATIONS, RelayError } from '../../src/relay/frame.js'

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

const framesOf = (batch: Uint8Array, allowed = FROM_HOST): Frame[] => [...readBatch(batch, allowed)]

/** A frame that says of itself what it likes. */
function frame(
  head: { connection?: number; operation?: number; binary?: number; length?: number },
  payload = '',
): Uint8Array {
  const bytes = new Uint8Array(HEAD_BYTES + payload.length)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, head.connection ?? 1)
  bytes[4] = head.operation ?? OPERATIONS.data
  bytes[5] = head.binary ?? 0
  view.setUint32(6, head.length ?? payload.length)
  bytes.set(Buffer.from(payload, 'latin1'), HEAD_BYTES)
  return bytes
}

describe('batches between the host and the page', () => {
  test('say what was written, in order, wherever they were cut', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const said = batchesOf(steps).flatMap((batch) => framesOf(batch).map(read))
        expect(said).toEqual(steps.filter(([name]) => name !== 'flush'))
      }),
    )
  })

  test('are cut only between frames, and are no longer than a batch may be unless one message is', () => {
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

  test('of any bytes give frames or a RelayError, and no other error', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      // Almost right: whole batches with a few bytes changed, added or taken away.
      fc
        .tuple(fc.array(step, { minLength: 1, maxLength: 5 }), fc.array(fc.tuple(fc.nat(80), fc.nat(255))), fc.nat(90))
        .map(([steps, changes, end]) => {
          const batch = batchesOf([...steps, ['taken', 1]])[0]!.slice(0, end)
          for (const [at, value] of changes) if (at < batch.length) batch[at] = value
          return batch
        }),
    )
    fc.assert(
      fc.property(bytes, fc.constantFrom(FROM_HOST, FROM_PAGE), (batch, allowed) => {
        try {
          framesOf(batch, allowed).map(read)
        } catch (error) {
          expect(error).toBeInstanceOf(RelayError)
        }
      }),
      { numRuns: 3_000 },
    )
  })

  test.each<[what: string, batch: Uint8Array]>([
    ['half a head', frame({}).slice(0, 9)],
    ['half a payload', frame({}, 'abc').slice(0, -1)],
    ['a byte too many', Uint8Array.of(...frame({}, 'abc'), 0)],
    ['a length beyond the limit', frame({ length: 0xffff_ffff })],
    ['an operation that there is not', frame({ operation: 0 })],
    ['a flag that is neither 0 nor 1', frame({ binary: 2 })],
    ['a flag where there are no messages', frame({ operation: OPERATIONS.close, binary: 1 }, '\x03\xe8')],
    ['the connection 0', frame({ connection: 0 }, 'abc')],
    ['a connection for what is of none', frame({ operation: OPERATIONS.taken }, '0000')],
  ])('with %s are refused', (_what, batch) => {
    expect(() => framesOf(batch)).toThrow(RelayError)
  })

  test('of a page neither open connections nor say what the host alone knows', () => {
    const steps: Step[] = [
      ['open', 1, '::1', '/'],
      ['taken', 1],
      ['waiting', 1, 5],
    ]
    for (const one of steps) expect(() => framesOf(batchesOf([one])[0]!, FROM_PAGE)).toThrow(RelayError)
  })

  test.each<[what: string, read: () => unknown]>([
    ['a text that is no UTF-8', () => readText(Uint8Array.of(0xff))],
    ['an address without a path', () => readOpen(Buffer.from('::1'))],
    ['a close without a code', () => readClose(Uint8Array.of(3))],
    ['a close code below 1000', () => readClose(Uint8Array.of(3, 0xe7))],
    ['a close code above 4999', () => readClose(Uint8Array.of(0x13, 0x88))],
    ['a reason of 124 bytes', () => readClose(Buffer.from(`\x04\x20${'x'.repeat(124)}`))],
    ['a number of three bytes', () => readNumber(new Uint8Array(3))],
  ])('that hold %s are refused', (_what, read) => {
    expect(read).toThrow(RelayError)
  })

  test('take a text of unpaired surrogates as a WebSocket does', () => {
    const [batch] = batchesOf([['text', 1, 'a\ud800b']])
    expect(readText(framesOf(batch!)[0]!.payload)).toBe('a\ufffdb')
  })
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { closePayload, frame, join, utf8 } from '../support/frames.js'
import { compare, cutAt, LIMITS, ourVerdict, wsVerdict } from './oracle.js'

/** `FRAMES_FUZZ_RUNS=100000 npm run vitest -- test/frames/differential` for the long run. */
const RUNS = Number(process.env['FRAMES_FUZZ_RUNS'] ?? 1000)
const settings = {
  numRuns: RUNS,
  ...(process.env['FRAMES_FUZZ_SEED'] && { seed: Number(process.env['FRAMES_FUZZ_SEED']) }),
}

const CHARACTERS = [...'a"\0\x7f\x80é߿ࠀ퟿\ue000\ufeff\uffff𐀀😀\u{10ffff}']

const someText = fc.array(fc.constantFrom(...CHARACTERS), { maxLength: 60 }).map((list) => utf8(list.join('')))
const someBytes = fc.uint8Array({ maxLength: 150 })
const lengthBytes = fc.option(fc.constantFrom(0 as const, 2 as const, 8 as const), { nil: undefined, freq: 8 })

const control = fc
  .oneof(
    fc.record({ opcode: fc.constantFrom(9, 10), payload: fc.uint8Array({ maxLength: 125 }) }),
    fc.record({ opcode: fc.constant(9), payload: fc.uint8Array({ maxLength: 4 }) }),
  )
  .map(({ opcode, payload }) => frame(opcode, payload))

/** A right message, in fragments with control frames between them. */
const message = fc
  .record({
    content: fc.oneof(
      someText.map((payload) => ({ opcode: 1, payload })),
      someBytes.map((payload) => ({ opcode: 2, payload })),
    ),
    cuts: fc.array(fc.nat(300), { maxLength: LIMITS.maxFragments }),
    between: fc.array(control, { maxLength: 2 }),
    lengthBytes,
  })
  .map(({ content: { opcode, payload }, cuts, between, lengthBytes }) => {
    const parts = cutAt(payload, cuts)
    return join(
      ...parts.flatMap((part, i) => [
        frame(i ? 0 : opcode, part, {
          fin: i === parts.length - 1,
          ...(lengthBytes !== undefined && part.length < 126 && { lengthBytes }),
        }),
        ...(i < between.length && i < parts.length - 1 ? [between[i]!] : []),
      ]),
    )
  })

const closing = fc.oneof(
  fc.constant(frame(8)),
  fc
    .record({
      code: fc.oneof(
        fc.constantFrom(1000, 1001, 1004, 1005, 1006, 1011, 1014, 1015, 2999, 3000, 4999, 5000),
        fc.nat(65535),
      ),
      reason: fc.oneof(someText, someBytes),
    })
    .map(({ code, reason }) => frame(8, closePayload(code, reason.subarray(0, 123)))),
)

/** Anything a header can say. */
const odd = fc
  .record({
    opcode: fc.nat(15),
    payload: someBytes,
    fin: fc.boolean(),
    rsv: fc.constantFrom(0, 0, 0, 1, 2, 4, 7),
    masked: fc.constantFrom(false, false, false, true),
    length: fc.option(fc.constantFrom(125, 126, 127, 300, 301, 65535), { nil: undefined, freq: 6 }),
  })
  .map(({ opcode, payload, fin, rsv, masked, length }) =>
    frame(opcode, payload, {
      fin,
      rsv,
      ...(masked && { mask: Uint8Array.of(1, 2, 3, 4) }),
      ...(length !== undefined && { length }),
    }),
  )

const pick = fc.constantFrom('set', 'drop', 'insert', 'cut')
const mutation = fc.record({ kind: pick, at: fc.nat(4000), byte: fc.nat(255) })

const mutate = (bytes: Uint8Array, mutations: readonly { kind: string; at: number; byte: number }[]): Uint8Array => {
  let list = [...bytes]
  for (const { kind, at, byte } of mutations) {
    const where = list.length ? at % list.length : 0
    if (kind === 'set') list[where] = byte
    else if (kind === 'drop') list.splice(where, 1)
    else if (kind === 'insert') list.splice(where, 0, byte)
    else list = list.slice(0, where)
  }
  return Uint8Array.from(list)
}

const stream = fc
  .record({
    parts: fc.array(
      fc.oneof({ arbitrary: message, weight: 6 }, { arbitrary: control, weight: 2 }, { arbitrary: odd, weight: 1 }),
      { maxLength: 5 },
    ),
    end: fc.option(closing, { nil: new Uint8Array(0), freq: 2 }),
    mutations: fc.array(mutation, { maxLength: 3 }),
  })
  .map(({ parts, end, mutations }) => mutate(join(...parts, end), mutations))

const cuts = fc.array(fc.nat(2000), { maxLength: 12 })

test(
  'mutated streams, cut anywhere, get the verdict of ws, or sooner',
  () =>
    fc.assert(
      fc.property(stream, cuts, cuts, (bytes, ourCuts, theirCuts) => {
        const pieces = cutAt(bytes, ourCuts)
        compare(
          bytes,
          ourVerdict(({ push }) => pieces.forEach(push)),
          wsVerdict(cutAt(bytes, theirCuts)),
        )
      }),
      settings,
    ),
  RUNS * 20,
)

test(
  'bytes cut one by one, frames and chunks give the same messages and answers',
  () => {
    const frames = fc.array(
      fc.oneof(
        fc.record({ opcode: fc.constant(1), payload: someText }),
        fc.record({ opcode: fc.constantFrom(2, 9, 10), payload: fc.uint8Array({ maxLength: 125 }) }),
      ),
      { maxLength: 4 },
    )
    fc.assert(
      fc.property(frames, cuts, cuts, (list, fragmentCuts, chunkCuts) => {
        const whole = list.flatMap(({ opcode, payload }) => {
          const parts = opcode > 8 ? [payload] : cutAt(payload, fragmentCuts.slice(0, 4))
          return parts.map((part, i) => ({ opcode: i ? 0 : opcode, payload: part, fin: i === parts.length - 1 }))
        })
        const bytes = join(...whole.map(({ opcode, payload, fin }) => frame(opcode, payload, { fin })))
        const expected = wsVerdict([bytes])
        expect(ourVerdict(({ push }) => bytes.forEach((byte) => push(Uint8Array.of(byte))))).toEqual(expected)
        expect(ourVerdict(({ pushFrame }) => whole.forEach(pushFrame))).toEqual(expected)
        expect(
          ourVerdict(({ pushChunk }) => {
            for (const { opcode, payload, fin } of whole) {
              let remaining = payload.length
              // An empty chunk at the end of a frame would begin the next.
              const parts = payload.length ? cutAt(payload, chunkCuts).filter((part) => part.length) : [payload]
              for (const part of parts) {
                remaining -= part.length
                pushChunk({ bytes: part, remaining, fin, opcode })
              }
            }
          }),
        ).toEqual(expected)
      }),
      { ...settings, numRuns: Math.min(RUNS, 300) },
    )
  },
  RUNS * 20,
)

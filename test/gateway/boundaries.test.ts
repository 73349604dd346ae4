import fc from 'fast-check'
import { expect, test } from 'vitest'
import { followFrames, followLines } from '../../src/node/gateway/boundaries.js'
import type { Follower } from '../../src/node/gateway/boundaries.js'

/** A frame as a server sends it, or with a mask. */
function frame(opcode: number, size: number, masked: boolean): Buffer {
  const mask = masked ? 0x80 : 0
  const head =
    size < 126
      ? Buffer.from([opcode, mask | size])
      : size < 65_536
        ? Buffer.from([opcode, mask | 126, size >> 8, size & 0xff])
        : Buffer.from([opcode, mask | 127, 0, 0, 0, 0, size >> 24, (size >> 16) & 0xff, (size >> 8) & 0xff, size & 0xff])
  return Buffer.concat([head, Buffer.alloc(masked ? 4 : 0, 0xff), Buffer.alloc(size, opcode)])
}

const frames = fc.array(
  fc.tuple(fc.constantFrom(0x81, 0x01, 0x80, 0x89), fc.constantFrom(0, 1, 125, 126, 127, 300, 65_535, 65_536, 70_000), fc.boolean())
    .map(([opcode, size, masked]) => frame(opcode, size, masked)),
  { minLength: 1, maxLength: 5 },
)
const lines = fc.array(fc.string().map((text) => Buffer.from(`${text.replaceAll('\n', '')}\n`)), { minLength: 1 })

const kinds: readonly [name: string, units: fc.Arbitrary<Buffer[]>, follow: () => Follower][] = [
  ['frames', frames, followFrames],
  ['lines', lines, followLines],
]

test.each(kinds)('the ends of %s are known however they are cut', (_name, units, follow) => {
  fc.assert(
    fc.property(units, fc.infiniteStream(fc.integer({ min: 1, max: 5_000 })), fc.nat(), (all, sizes, at) => {
      const bytes = Buffer.concat(all)
      const ends = all.reduce((found, unit) => [...found, found.at(-1)! + unit.byteLength], [0])
      const stop = at % bytes.byteLength
      const follower = follow()
      for (let from = 0; from < stop; ) {
        const to = Math.min(stop, from + sizes.next().value!)
        follower.pass(bytes.subarray(from, to))
        from = to
      }
      expect(follower.between).toBe(ends.includes(stop))
      if (follower.between) return
      let end = stop
      for (let rest: number | undefined; rest === undefined; ) {
        const piece = bytes.subarray(end, end + sizes.next().value!)
        rest = follower.rest(piece)
        end += rest ?? piece.byteLength
      }
      expect(end).toBe(ends.find((candidate) => candidate > stop))
    }),
  )
})

test('a close frame is noticed, as soon as its first byte has passed', () => {
  const follower = followFrames()
  follower.pass(frame(0x81, 2, false))
  expect(follower.ended).toBe(false)
  follower.pass(frame(0x88, 2, false).subarray(0, 3))
  expect(follower.ended).toBe(true)
})

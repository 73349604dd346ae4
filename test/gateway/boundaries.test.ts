import fc from 'fast-check'
import { expect, test } from 'vitest'
import { followFrames, followLines } from '../../src/node/gateway/forward/boundaries.js'
import type { Follower } from '../../src/node/gateway/forward/boundaries.js'

/** A frame as a server sends it, or with a mask. */
function frame(opcode: number, size: number, masked: boolean): Buffer {
  const mask = masked ? 0x80 : 0
  const long = Buffer.alloc(8)
  long.writeUInt32BE(size, 4)
  const [length, extended] = size < 126 ? [size, []] : size < 65_536 ? [126, [...long.subarray(6)]] : [127, [...long]]
  const head = Buffer.from([opcode, mask | length, ...extended])
  return Buffer.concat([head, Buffer.alloc(masked ? 4 : 0, 0xff), Buffer.alloc(size, opcode)])
}

const opcodes = fc.constantFrom(0x81, 0x01, 0x80, 0x89)
const sizes = fc.constantFrom(0, 1, 125, 126, 127, 300, 65_535, 65_536, 70_000)
const aFrame = fc.tuple(opcodes, sizes, fc.boolean()).map((parts) => frame(...parts))
const frames = fc.array(aFrame, { minLength: 1, maxLength: 5 })
const aLine = fc.string().map((text) => Buffer.from(`${text.replaceAll('\n', '')}\n`))
const lines = fc.array(aLine, { minLength: 1 })

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
      for (let from = 0; from < stop;) {
        const to = Math.min(stop, from + sizes.next().value!)
        follower.pass(bytes.subarray(from, to))
        from = to
      }
      expect(follower.between).toBe(ends.includes(stop))
      if (follower.between) return
      let end = stop
      for (let rest: number | undefined; rest === undefined;) {
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

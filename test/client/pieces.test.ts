import { afterEach, describe, expect, test, vi } from 'vitest'
import { createTextDecoder } from '../../src/client/runtime/text-decoder.js'
import { createLineSplitter } from '../../src/client/watch/lines.js'
import type { ClientOptions } from '../../src/index.js'
import { difficultText } from '../support/fault-server-game-servers.js'

afterEach(() => vi.unstubAllGlobals())

/** Takes no notice of `fatal`, as some script VMs do. */
class Lenient {
  readonly fatal = false
  decode = (): string => expect.fail('it would hide where a character was cut')
}

const decoders: [string, Pick<ClientOptions, 'TextDecoder'>][] = [
  ["the host's decoder", {}],
  ['a decoder that is never strict', { TextDecoder: Lenient }],
]

describe.each(decoders)('bytes are text, by %s,', (_name, options) => {
  const bytes = new TextEncoder().encode(`\ufeff${difficultText}`)

  test.each([1, 2, 3, 4, 5, 7, 1000])('in pieces of %i bytes', (size) => {
    const decode = createTextDecoder(options)
    let text = ''
    for (let at = 0; at < bytes.length; at += size) text += decode(bytes.slice(at, at + size))
    expect(text).toBe(`\ufeff${difficultText}`)
  })

  test('each as soon as its last byte is there, and not before', () => {
    const decode = createTextDecoder(options)
    const [a, b, c, d] = new TextEncoder().encode('𝄞')
    expect(decode(Uint8Array.of(0x61, a!, b!, c!))).toBe('a')
    expect(decode(new Uint8Array(0))).toBe('')
    expect(decode(Uint8Array.of(d!, 0x62))).toBe('𝄞b')
  })

  test.each([
    ['a byte that begins nothing', [0x61, 0xff, 0x61, 0x61, 0x61, 0x61]],
    ['four bytes that are no character', [0x80, 0x80, 0x80, 0x80]],
    ['a character that goes on as none', [0xe2, 0x82, 0x61, 0x61, 0x61]],
  ])('but for %s', (_what, wrong) => {
    const decode = createTextDecoder(options)
    expect(() => decode(Uint8Array.from(wrong))).toThrow(expect.objectContaining({ code: 'PROTOCOL' }))
  })
})

test('a host without a decoder has the same text, also of bytes below 16', () => {
  vi.stubGlobal('TextDecoder', undefined)
  expect(createTextDecoder({})(Uint8Array.of(0, 9, 10, 15, 16, 0x7f))).toBe('\u0000\t\n\u000f\u0010\u007f')
})

describe('text is cut into lines', () => {
  function splitting(limit = Infinity) {
    const lines: string[] = []
    const checked: string[] = []
    const feed = createLineSplitter(
      (line) => {
        checked.push(line)
        if (line.length > limit) throw new Error('too long')
      },
      (line) => void lines.push(line),
    )
    return { lines, checked, feed }
  }

  test.each([[['a\nb\n']], [['a', '\n', 'b', '\n']], [['a\n', 'b\n']], [['', 'a\nb', '\n']]])('as %j', (pieces) => {
    const { lines, feed } = splitting()
    pieces.forEach(feed)
    expect(lines).toEqual(['a', 'b'])
  })

  test('of which the last is none until it ends', () => {
    const { lines, feed } = splitting()
    feed('a\nb')
    expect(lines).toEqual(['a'])
    feed('c\n')
    expect(lines).toEqual(['a', 'bc'])
  })

  test('of which the blank ones are left out', () => {
    const { lines, feed } = splitting()
    feed('\n\n  \n\r\n\t\na \n')
    expect(lines).toEqual(['a '])
  })

  test('that are looked at while they grow, each by itself', () => {
    const { checked, feed } = splitting()
    feed('ab')
    feed('c\nd')
    expect(checked).toEqual(['ab', 'abc', 'd'])
  })

  test('up to the first that is too long, which is not handed on, nor kept', () => {
    const { lines, feed } = splitting(3)
    expect(() => feed('abc\nabcd\nx\n')).toThrow('too long')
    expect(lines).toEqual(['abc'])
    feed('e\n')
    expect(lines).toEqual(['abc', 'e'])
  })
})

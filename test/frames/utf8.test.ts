import { isUtf8 } from 'node:buffer'
import { describe, expect, test } from 'vitest'
import { MessageDecoder, type TextDecoderClass } from '../../src/frames/index.js'
import { feed, latin, text, utf8 } from './bytes.js'

const decode = (payload: Uint8Array, size: number, Decoder?: TextDecoderClass | null): string | number | undefined => {
  let result: string | number | undefined
  const decoder = new MessageDecoder({
    ...(Decoder !== undefined && { TextDecoder: Decoder }),
    message: (data) => (result = data as string),
    error: ({ code }) => (result = code),
  })
  feed(decoder.push, text(payload), size)
  return result
}

const right = new TextDecoder('utf-8', { ignoreBOM: true })
const LONG = 'x'.repeat(200) + '€'

/** Bytes where the rules for a sequence change. */
const EDGES = [0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed].concat([
  0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff,
])
const CONTINUATION_EDGES = [0x7f, 0x80, 0xbf, 0xc0]

/** Every byte, all pairs with an edge, and longer sequences at the edges. */
const sequences = (): number[][] => {
  const all = Array.from({ length: 256 }, (_, first) => [[first], ...EDGES.map((second) => [first, second])]).flat()
  const longer = EDGES.filter((first) => first > 0xdf).flatMap((first) =>
    EDGES.flatMap((second) => CONTINUATION_EDGES.map((third) => [first, second, third])),
  )
  // What is wrong after three bytes stays wrong.
  const open = longer.filter((bytes) => isUtf8(Uint8Array.of(...bytes)) || isUtf8(Uint8Array.of(...bytes, 0x80)))
  return [...all, ...longer, ...open.flatMap((bytes) => CONTINUATION_EDGES.map((fourth) => [...bytes, fourth]))]
}

/** Longer than what is decoded without the decoder of the host, even where there is one. */
const PREFIX = 'x'.repeat(10)

test('sequences of up to two bytes, and at the borders of three and four, are judged as by Node', () => {
  const wrong = sequences().filter((bytes) => {
    const payload = Uint8Array.from(bytes)
    const expected = isUtf8(payload) ? right.decode(payload) : 1007
    if ([1, Infinity].some((size) => decode(payload, size, null) !== expected)) return true
    const prefixed = decode(Uint8Array.of(...latin(PREFIX), ...bytes), Infinity)
    return prefixed !== (expected === 1007 ? expected : PREFIX + expected)
  })
  expect(wrong).toEqual([])
})

describe.each([
  ['native', undefined],
  ['without TextDecoder', null],
] as const)('%s', (_name, Decoder) => {
  test.each([1, 2, 3, 5, 97, 131, Infinity])('long text of all kinds of characters in pieces of %d', (size) => {
    const all = 'aé߿ࠀ퟿\ue000\ufeff\ufffd\uffff𐀀😀\u{10ffff}'.repeat(900)
    expect(decode(utf8(all), size, Decoder) === all).toBe(true)
  })

  test('a byte order mark is a character like any other', () => {
    for (const content of ['\ufeffa', `\ufeff${LONG}`]) expect(decode(utf8(content), Infinity, Decoder)).toBe(content)
  })

  test('a bad byte fails the message the moment it arrives, far from the end', () => {
    let code = 0
    const { push } = new MessageDecoder({
      ...(Decoder === null && { TextDecoder: null }),
      error: (error) => (code = error.code),
    })
    const bytes = text(latin(`${'x'.repeat(200)}\xf4\x90${'y'.repeat(200)}`))
    push(bytes.subarray(0, bytes.length - 201))
    expect(code).toBe(0)
    push(bytes.subarray(bytes.length - 201, bytes.length - 200))
    expect(code).toBe(1007)
  })
})

describe('U+FFFD', () => {
  test('in the text leaves the rest to the TextDecoder of the host', () => {
    let byteByByte = 0
    const { fromCodePoint } = String
    String.fromCodePoint = (...points) => {
      byteByByte += points.length
      return fromCodePoint(...points)
    }
    try {
      const long = `${'x'.repeat(100_000)}\ufffd${'y'.repeat(100_000)}\uffee\ufffd`
      for (const size of [Infinity, 70_000]) expect(decode(utf8(long), size) === long).toBe(true)
    } finally {
      String.fromCodePoint = fromCodePoint
    }
    expect(byteByByte).toBeLessThan(1000)
  })

  test.each(['\xff', '\xef\xbf', '\xe0\x9f\xbf', '\xef\xbf\xbd\xbd'])(
    'in the text hides no mistake beside it: %j',
    (mistake) => {
      const bytes = Buffer.concat([utf8('\ufffd'), latin(mistake), utf8(`${LONG}\ufffd`)])
      for (const size of [Infinity, 150]) expect(decode(bytes, size)).toBe(1007)
    },
  )
})

const fail = (): never => {
  throw new TypeError('one argument, please')
}

describe('a TextDecoder of the host', () => {
  test.each<[string, (bytes: Uint8Array) => string, boolean]>([
    ['is right is used', (bytes) => right.decode(bytes), true],
    ['drops a byte order mark is not used', (bytes) => right.decode(bytes).replace(/^\ufeff/, ''), false],
    ['sees the whole buffer instead of the view is not used', (bytes) => right.decode(bytes.buffer), false],
    ['lets surrogates pass is not used', (bytes) => right.decode(bytes).replace(/\ufffd{3}/, '\ud800'), false],
    ['knows latin-1 only is not used', (bytes) => Buffer.from(bytes).toString('latin1'), false],
    ['throws is not used', fail, false],
  ])('that %s', (_name, decodeBytes, isUsed) => {
    let asked = 0
    const Decoder = class {
      decode(bytes: Uint8Array): string {
        asked++
        return decodeBytes(bytes)
      }
    }
    expect(decode(utf8(LONG), Infinity, Decoder)).toBe(LONG)
    // Once for a sample.
    expect(asked > 1).toBe(isUsed)
  })

  test.each([
    ['throws', fail],
    ['decodes nothing right any more', () => ''],
  ])('that %s once it was asked to stream is used without', (_name, afterStream) => {
    const Decoder = class {
      streamed = false
      decode(bytes: Uint8Array, options?: object): string {
        this.streamed ||= options !== undefined
        return this.streamed ? afterStream() : right.decode(bytes)
      }
    }
    const wide = LONG.repeat(5)
    expect(decode(utf8(wide), 250, Decoder)).toBe(wide)
  })

  test('that can not be constructed is not used', () => {
    const Decoder = function () {
      throw new RangeError('no such encoding')
    } as unknown as TextDecoderClass
    expect(decode(utf8(LONG), Infinity, Decoder)).toBe(LONG)
  })
})

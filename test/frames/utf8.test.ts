import { isUtf8 } from 'node:buffer'
import { describe, expect, test } from 'vitest'
import { MessageDecoder, type TextDecoderClass } from '../../src/frames/index.js'
import { feed, latin, text, utf8 } from './bytes.js'

const decode = (payload: Uint8Array, size: number, Decoder?: TextDecoderClass | null): string | number | undefined => {
  let result: string | number | undefined
  const decoder = new MessageDecoder({
    ...(Decoder !== undefined && { TextDecoder: Decoder }),
    message: (data) => {
      result = data as string
    },
    error: ({ code }) => {
      result = code
    },
  })
  feed(decoder.push, text(payload), size)
  return result
}

/** Decoders as engines ship them. Each counts how often it was asked for more than a sample. */
const sloppy = (decodeBytes: (bytes: Uint8Array) => string): { Decoder: TextDecoderClass; trusted: () => number } => {
  let asked = 0
  return {
    Decoder: class {
      decode(bytes: Uint8Array): string {
        asked++
        return decodeBytes(bytes)
      }
    },
    trusted: () => asked - 1,
  }
}
const right = new TextDecoder('utf-8', { ignoreBOM: true })
const LONG = 'x'.repeat(200) + '€'

describe.each([
  ['native', undefined],
  ['without TextDecoder', null],
] as const)('%s', (_name, Decoder) => {
  test('sequences of up to two bytes, and at the borders of three and four, are judged as by Node', () => {
    const edges = [
      0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0,
      0xf1, 0xf3, 0xf4, 0xf5, 0xff,
    ]
    const wrong: string[] = []
    const judge = (...bytes: number[]): void => {
      const payload = Uint8Array.from(bytes)
      const expected = isUtf8(payload) ? right.decode(payload) : 1007
      if ([1, Infinity].some((size) => decode(payload, size, Decoder) !== expected)) wrong.push(bytes.join())
    }
    for (let first = 0; first < 256; first++) {
      judge(first)
      for (const second of edges) judge(first, second)
    }
    for (const first of edges.filter((byte) => byte > 0xdf)) {
      for (const second of edges) {
        for (const third of edges) {
          judge(first, second, third)
          // What is wrong after three bytes stays wrong.
          if (!isUtf8(Uint8Array.of(first, second, third)) && !isUtf8(Uint8Array.of(first, second, third, 0x80)))
            continue
          for (const fourth of [0x7f, 0x80, 0xbf, 0xc0]) judge(first, second, third, fourth)
        }
      }
    }
    expect(wrong).toEqual([])
  }, 120_000)

  test.each([1, 2, 3, 5, 97, 131, Infinity])('long text of all kinds of characters in pieces of %d', (size) => {
    const all = 'aé߿ࠀ퟿\ue000\ufeff\ufffd\uffff𐀀😀\u{10ffff}'.repeat(900)
    expect(decode(utf8(all), size, Decoder)).toBe(all)
  })

  test('a byte order mark is a character like any other', () => {
    expect(decode(utf8('\ufeffa'), Infinity, Decoder)).toBe('\ufeffa')
    expect(decode(utf8('\ufeff' + LONG), Infinity, Decoder)).toBe('\ufeff' + LONG)
  })

  test('a bad byte fails the message the moment it arrives, far from the end', () => {
    let code = 0
    const { push } = new MessageDecoder({
      ...(Decoder === null && { TextDecoder: null }),
      error: (error) => {
        code = error.code
      },
    })
    const bytes = text(latin('x'.repeat(200) + '\xf4\x90' + 'y'.repeat(200)))
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

describe('a TextDecoder of the host', () => {
  test('that is right is used, with nothing but one view as argument', () => {
    const { Decoder, trusted } = sloppy((bytes) => right.decode(bytes))
    expect(decode(utf8(LONG), Infinity, Decoder)).toBe(LONG)
    expect(trusted()).toBeGreaterThan(0)
  })

  test.each<[string, () => string]>([
    [
      'throws',
      () => {
        throw new TypeError('one argument, please')
      },
    ],
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

  test.each<[string, (bytes: Uint8Array) => string]>([
    ['drops a byte order mark', (bytes) => right.decode(bytes).replace(/^\ufeff/, '')],
    ['sees the whole buffer instead of the view', (bytes) => right.decode(bytes.buffer)],
    ['lets surrogates pass', (bytes) => right.decode(bytes).replace(/\ufffd{3}/, '\ud800')],
    ['knows latin-1 only', (bytes) => Buffer.from(bytes).toString('latin1')],
    [
      'throws',
      () => {
        throw new Error('not here')
      },
    ],
  ])('that %s is not used', (_name, decodeBytes) => {
    const { Decoder, trusted } = sloppy(decodeBytes)
    expect(decode(utf8(LONG), Infinity, Decoder)).toBe(LONG)
    expect(trusted()).toBe(0)
  })

  test('that can not be constructed is not used', () => {
    const Decoder = function () {
      throw new RangeError('no such encoding')
    } as unknown as TextDecoderClass
    expect(decode(utf8(LONG), Infinity, Decoder)).toBe(LONG)
  })
})

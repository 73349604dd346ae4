import { describe, expect, test } from 'vitest'
import { MessageDecoder, type TextDecoderClass } from '../../src/frames/index.js'
import { feed, latin, text, utf8 } from '../support/frames.js'

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

describe.each([
  ['native', undefined],
  ['without TextDecoder', null],
] as const)('%s', (_name, Decoder) => {
  test.each([1, 2, 3, 5, 97, 131, Infinity])('long text of all kinds of characters in pieces of %d', (size) => {
    const all = 'aé߿ࠀ퟿\ue000\ufeff\ufffd\uffff𐀀😀\u{10ffff}'.repeat(900)
    expect(decode(utf8(all), size, Decoder) === all).toBe(true)
  })

  test('a byte order mark is kept as a character', () => {
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
  test('text with an encoded U+FFFD is still decoded by the host', () => {
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

  test('a TextDecoder whose constructor throws is not used', () => {
    const Decoder = function () {
      throw new RangeError('no such encoding')
    } as unknown as TextDecoderClass
    expect(decode(utf8(LONG), Infinity, Decoder)).toBe(LONG)
  })
})

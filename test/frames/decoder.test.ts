import { isUtf8 } from 'node:buffer'
import { describe, expect, test } from 'vitest'
import { type DecoderOptions, MessageDecoder } from '../../src/frames/index.js'
import { feed, fragments, frame, join, latin, repeat, text, utf8 } from '../support/frames.js'
import { collectUncaught } from '../support/uncaught.js'
import { turns } from '../support/until.js'

const record = (options: Partial<DecoderOptions> = {}) => {
  const events: unknown[] = []
  const decoder = new MessageDecoder({
    message: (data) => events.push(typeof data === 'string' ? data : data.slice()),
    ping: (payload) => events.push(['ping', ...payload]),
    pong: (payload) => events.push(['pong', ...payload]),
    close: (code, reason) => events.push(['close', code, reason]),
    error: (error) => events.push(error.code),
    ...options,
  })
  return { decoder, events }
}

describe('chunks', () => {
  const [a, b, c, d, e] = Array.from('abcde', utf8) as [Uint8Array, ...Uint8Array[]]

  test.each([
    [
      'without FIN and opcode are text, a message for each frame',
      [
        { bytes: utf8('{"a"'), remaining: 3 },
        { bytes: utf8(':1}'), remaining: 0 },
        { bytes: a, remaining: 0 },
      ],
      ['{"a":1}', 'a'],
    ],
    [
      'are final if the last one of the frame says so, as libwebsockets knows no sooner',
      [
        { bytes: a, remaining: 1, fin: false, opcode: 1 },
        { bytes: b!, remaining: 0, fin: true, opcode: 0 },
        { bytes: c!, remaining: 1, fin: false, opcode: 1 },
        { bytes: d!, remaining: 0 },
        { bytes: e!, remaining: 0, fin: true, opcode: 0 },
      ],
      ['ab', 'cde'],
    ],
    [
      'with one missing are a 1002',
      [
        { bytes: latin('ab'), remaining: 4 },
        { bytes: latin('cd'), remaining: 0 },
      ],
      [1002],
    ],
    ['with less than nothing remaining are a 1002', [{ bytes: a, remaining: -1 }], [1002]],
    ['with no number remaining are a 1002', [{ bytes: a, remaining: NaN }], [1002]],
    [
      'of a control frame whose last is not final are a 1002, and leave nothing for the next one',
      [
        { bytes: latin('ab'), remaining: 2, opcode: 9 },
        { bytes: latin('cd'), remaining: 0, fin: false },
        { bytes: latin('ef'), remaining: 0, opcode: 9 },
      ],
      [1002],
    ],
  ])('%s', (_name, chunks, expected) => {
    const { decoder, events } = record()
    chunks.forEach(decoder.pushChunk)
    expect(events).toEqual(expected)
  })
})

test.each([3, 7, 11, 16, 17, 129, -1, 1.5, NaN, '1' as never])(
  'a frame or a chunk with the opcode %s is a 1002',
  (opcode) => {
    for (const input of ['pushFrame', 'pushChunk'] as const) {
      const { decoder, events } = record()
      decoder[input]({ opcode, fin: true, payload: latin('x'), bytes: latin('x'), remaining: 0 })
      expect(events).toEqual([1002])
    }
  },
)

test('bytes may be an ArrayBuffer or any view of one', () => {
  const padded = new Uint8Array([0, 0, ...text('hello'), 0]).buffer
  const { decoder, events } = record()
  decoder.push(padded.slice(2, 9))
  decoder.push(new DataView(padded, 2, 7))
  decoder.push(Buffer.from(padded, 2, 7))
  decoder.pushFrame({ opcode: 2, fin: true, payload: padded.slice(4, 9) })
  decoder.pushChunk({ bytes: new Int8Array(padded, 4, 5), remaining: 0 })
  expect(events).toEqual(['hello', 'hello', 'hello', utf8('hello'), 'hello'])
})

test.each([['text'], [undefined], [null], [[1, 2]]])('bytes that are %j are a TypeError', (bytes) => {
  const { decoder, events } = record()
  expect(() => decoder.push(bytes as never)).toThrow(TypeError)
  expect(() => decoder.pushFrame({ opcode: 1, fin: true, payload: bytes as never })).toThrow(TypeError)
  expect(() => decoder.pushChunk({ bytes: bytes as never, remaining: 0 })).toThrow(TypeError)
  decoder.push(text('goes on'))
  expect(events).toEqual(['goes on'])
})

test('binary data that came in pieces stays intact when the host reuses its buffer', () => {
  const messages: Uint8Array[] = []
  const decoder = new MessageDecoder({ message: (data) => messages.push(data as Uint8Array) })
  const payloads = Array.from({ length: 200 }, (_, i) => repeat(String.fromCharCode(i), 100))
  feed(decoder.push, join(...payloads.map((payload) => fragments(2, payload, 40))), 7)
  expect(messages.every((message, i) => Buffer.from(message).equals(payloads[i]!))).toBe(true)
  expect(messages).toHaveLength(payloads.length)
})

test.each([1, 2, 3, 5, 97, 131, Infinity])('long text of all kinds of characters in pieces of %d', (size) => {
  const all = '\ufeffaé߿ࠀ퟿\ue000\ufeff\ufffd\uffff𐀀😀\u{10ffff}'.repeat(900)
  const { decoder, events } = record()
  feed(decoder.push, text(all), size)
  expect(events[0] === all).toBe(true)
})

/** The bytes at both ends of each row of the Unicode standard's table of UTF-8. */
const EDGES = [
  0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbe, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef,
  0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xf7, 0xf8, 0xfb, 0xfc, 0xfd, 0xfe, 0xff,
]

test('every sequence of up to four edge bytes is a text if the standard says so, and else a 1007', () => {
  const read = (bytes: number[]): void => {
    const { decoder, events } = record()
    decoder.push(text(Uint8Array.from(bytes)))
    const expected = isUtf8(Buffer.from(bytes)) ? Buffer.from(bytes).toString() : 1007
    if (events.length !== 1 || events[0] !== expected) expect.fail(`${bytes.join(' ')} gave ${String(events)}`)
  }
  const extend = (bytes: number[], more: number): void => {
    if (bytes.length > 0) read(bytes)
    if (more > 0) for (const byte of EDGES) extend([...bytes, byte], more - 1)
  }
  extend([], 3)
  for (const first of [0xf0, 0xf1, 0xf4, 0xf5]) extend([first], 3)
})

const HEAD = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n'

test.each([Infinity, 1, 3, 7])('the HTTP head is read before the frames, in pieces of %d', (size) => {
  const { decoder, events } = record({ handshake: true })
  feed(decoder.push, join(latin(HEAD), text('first'), text('second')), size)
  expect(events).toEqual(['first', 'second'])
})

test('an HTTP head without status 101 is refused without a close frame', () => {
  const written: Uint8Array[] = []
  const { decoder, events } = record({ handshake: true, write: (bytes) => written.push(bytes) })
  decoder.push(join(latin('HTTP/1.1 403 Forbidden\r\n\r\n'), text('no')))
  expect(events).toEqual([1002])
  expect(written).toEqual([])
})

test('the host checks the HTTP head without interim answers, and names its problem', () => {
  const heads: string[] = []
  const problems: string[] = []
  const decoder = new MessageDecoder({
    handshake: (head) => (heads.push(head) > 0 ? 'not today' : false),
    error: ({ message }) => problems.push(message),
  })
  decoder.push(latin(`HTTP/1.1 100 Continue\r\n\r\n${HEAD}`))
  expect(heads).toEqual([HEAD])
  expect(problems).toEqual(['WebSocket refused: not today'])
})

test("a callback's error is an unhandled rejection: the stream goes on, but a handshake is refused", async () => {
  const fault = new Error('of the listener')
  const failing = (): never => {
    throw fault
  }
  const uncaught = collectUncaught()
  const [refused, open] = [record({ handshake: failing }), record({ pong: failing })]
  refused.decoder.push(latin(HEAD))
  open.decoder.push(join(frame(10), text('two')))
  record({ error: failing }).decoder.push(frame(3))
  await turns()
  expect(uncaught).toEqual([fault, fault, fault])
  expect([refused.events, open.events]).toEqual([[1002], ['two']])
})

test('an HTTP head over 16 KiB is refused', () => {
  const head = (size: number): Uint8Array =>
    latin(`${HEAD.slice(0, -2)}X: ${'y'.repeat(size - HEAD.length - 5)}\r\n\r\n`)
  const fits = record({ handshake: true })
  fits.decoder.push(join(head(16384), text('hello')))
  expect(fits.events).toEqual(['hello'])
  const over = record({ handshake: true })
  over.decoder.push(head(16385))
  expect(over.events).toEqual([1009])
})

test('a message of 16 MiB passes; one byte more, 2^31, 2^53 and 2^64-1 are a 1009 before any of it is kept', () => {
  const most = 16 * 1024 * 1024
  const { decoder, events } = record()
  decoder.push(frame(2, new Uint8Array(most)))
  decoder.push(frame(2, latin(''), { length: most + 1 }))
  expect((events[0] as Uint8Array).length).toBe(most)
  expect(events.slice(1)).toEqual([1009])
  for (const length of ['\0\0\0\0\x80\0\0\0', '\0\x20\0\0\0\0\0\0', '\xff'.repeat(8)]) {
    const long = record()
    long.decoder.push(latin(`\x82\x7f${length}`))
    expect(long.events).toEqual([1009])
  }
})

test.each([
  ['empty', latin('')],
  ['half a character each', utf8('é')],
])('131,072 fragments pass, one more is a 1009; %s', (_name, content) => {
  const halves = [content.subarray(0, 1), content.subarray(1)].map((half) => frame(0, half, { fin: false }))
  const { decoder, events } = record()
  const begin = (): void => {
    decoder.push(frame(1, latin(''), { fin: false }))
    for (let i = 0; i < 131_070; i++) decoder.push(halves[i % 2]!)
  }
  begin()
  decoder.push(frame(0))
  expect(events).toHaveLength(1)
  expect(events[0] === Buffer.from(content).toString().repeat(65_535)).toBe(true)
  begin()
  decoder.push(halves[0]!)
  expect(events).toHaveLength(1)
  decoder.push(halves[1]!)
  expect(events.slice(1)).toEqual([1009])
})

test('a message in fragments of one byte is copied a constant number of times', () => {
  const { set } = Uint8Array.prototype
  const length = 131_072
  const { decoder, events } = record()
  const more = repeat('\x00\x01x', 3 * (length - 2))
  const stream = join(frame(2, latin('x'), { fin: false }), more, frame(0, latin('x')))
  let copied = 0
  Uint8Array.prototype.set = function (this: Uint8Array, source: ArrayLike<number>, offset?: number) {
    copied += source.length
    set.call(this, source, offset)
  }
  try {
    decoder.push(stream)
  } finally {
    Uint8Array.prototype.set = set
  }
  expect((events[0] as Uint8Array).length).toBe(length)
  expect(copied / length).toBeLessThan(4)
})

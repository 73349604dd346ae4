import { describe, expect, test } from 'vitest'
import { type DecoderOptions, type FrameError, MessageDecoder } from '../../src/frames/index.js'
import { unhandled } from './unhandled.js'
import { close, feed, fragments, frame, join, latin, repeat, text, utf8 } from './bytes.js'

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

describe('three inputs', () => {
  test('a control frame that arrives in pieces stands between the fragments of a message', () => {
    const { decoder, events } = record()
    const stream = join(frame(2, latin('ab'), { fin: false }), frame(9, latin('\x01\x02')), frame(0, latin('cd')))
    feed(decoder.push, stream, 1)
    expect(events).toEqual([['ping', 1, 2], latin('abcd')])
  })

  test('chunks need neither FIN nor opcode: each frame is then a text', () => {
    const { decoder, events } = record()
    decoder.pushChunk({ bytes: utf8('{"a"'), remaining: 3 })
    decoder.pushChunk({ bytes: utf8(':1}'), remaining: 0 })
    decoder.pushChunk({ bytes: utf8('x'), remaining: 0 })
    expect(events).toEqual(['{"a":1}', 'x'])
  })

  test('a chunk with FIN unset is continued by the next frame, cut inside a character', () => {
    const { decoder, events } = record()
    const [first, second, third] = utf8('€')
    decoder.pushChunk({ bytes: Uint8Array.of(first!), remaining: 1, fin: false, opcode: 1 })
    decoder.pushChunk({ bytes: Uint8Array.of(second!), remaining: 0, fin: false })
    decoder.pushChunk({ bytes: Uint8Array.of(third!), remaining: 0 })
    expect(events).toEqual(['€'])
  })

  test('what the last chunk of a frame says of FIN counts, as libwebsockets knows no sooner', () => {
    const { decoder, events } = record()
    decoder.pushChunk({ bytes: utf8('a'), remaining: 1, fin: false, opcode: 1 })
    decoder.pushChunk({ bytes: utf8('b'), remaining: 0, fin: true, opcode: 0 })
    decoder.pushChunk({ bytes: utf8('c'), remaining: 1, fin: false, opcode: 1 })
    decoder.pushChunk({ bytes: utf8('d'), remaining: 0 })
    decoder.pushChunk({ bytes: utf8('e'), remaining: 0, fin: true, opcode: 0 })
    expect(events).toEqual(['ab', 'cde'])
  })

  test.each([
    [
      'a chunk that is missing',
      [
        { bytes: latin('ab'), remaining: 4 },
        { bytes: latin('cd'), remaining: 0 },
      ],
    ],
    ['less than nothing remaining', [{ bytes: latin('ab'), remaining: -1 }]],
    ['no number remaining', [{ bytes: latin('ab'), remaining: NaN }]],
  ])('%s is a 1002', (_name, chunks) => {
    const { decoder, events } = record()
    chunks.forEach(decoder.pushChunk)
    expect(events).toEqual([1002])
  })

  test('a control frame in pieces whose last is not final is a 1002, and leaves nothing for the next one', () => {
    const { decoder, events } = record()
    decoder.pushChunk({ bytes: latin('ab'), remaining: 2, opcode: 9 })
    decoder.pushChunk({ bytes: latin('cd'), remaining: 0, fin: false })
    decoder.pushChunk({ bytes: latin('ef'), remaining: 0, opcode: 9 })
    expect(events).toEqual([1002])
  })

  test.each([3, 7, 11, 15, 16, 17, 24, 129, 256, -1, 1.5, NaN, '1' as never])(
    'a frame with the opcode %s is a 1002',
    (opcode) => {
      for (const input of ['pushFrame', 'pushChunk'] as const) {
        const { decoder, events } = record()
        decoder[input]({ opcode, fin: true, payload: latin('x'), bytes: latin('x'), remaining: 0 })
        expect(events).toEqual([1002])
      }
    },
  )

  test('bytes may be an ArrayBuffer or any view of one', () => {
    const bytes = new Uint8Array([0, 0, ...text('hello'), 0])
    const padded = bytes.buffer
    const { decoder, events } = record()
    decoder.push(padded.slice(2, 9))
    decoder.push(new DataView(padded, 2, 7))
    decoder.push(Buffer.from(padded, 2, 7))
    decoder.pushFrame({ opcode: 2, fin: true, payload: padded.slice(4, 9) })
    decoder.pushChunk({ bytes: new Int8Array(padded, 4, 5), remaining: 0 })
    expect(events).toEqual(['hello', 'hello', 'hello', utf8('hello'), 'hello'])
  })

  test.each([['text'], [undefined], [null], [7], [[1, 2]]])('bytes that are %j are a TypeError', (bytes) => {
    const { decoder, events } = record()
    for (const give of [
      () => decoder.push(bytes as never),
      () => decoder.pushFrame({ opcode: 1, fin: true, payload: bytes as never }),
      () => decoder.pushChunk({ bytes: bytes as never, remaining: 0 }),
    ]) {
      expect(give).toThrow(TypeError)
    }
    decoder.push(text('goes on'))
    expect(events).toEqual(['goes on'])
  })

  test('frames that the host parsed are held to the same rules', () => {
    const { decoder, events } = record()
    decoder.pushFrame({ opcode: 1, fin: false, payload: utf8('a') })
    decoder.pushFrame({ opcode: 9, fin: true, payload: latin('') })
    decoder.pushFrame({ opcode: 0, fin: true, payload: utf8('b') })
    decoder.pushFrame({ opcode: 9, fin: true, payload: repeat('x', 126) })
    decoder.pushFrame({ opcode: 1, fin: true, payload: utf8('ignored') })
    expect(events).toEqual([['ping'], 'ab', 1002])
  })
})

describe('bytes that are kept', () => {
  test('binary data that came in pieces is not touched when the host uses its buffer again', () => {
    const messages: Uint8Array[] = []
    const decoder = new MessageDecoder({ message: (data) => messages.push(data as Uint8Array) })
    const payloads = Array.from({ length: 300 }, (_, i) => repeat(String.fromCharCode(i % 256), 100))
    feed(decoder.push, join(...payloads.map((payload) => fragments(2, payload, 40))), 7)
    expect(messages).toEqual(payloads)
  })
})

describe('the HTTP head', () => {
  const HEAD = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n'

  test.each([Infinity, 1, 3, 7])('is read in front of the frames, in pieces of %d', (size) => {
    const { decoder, events } = record({ handshake: true })
    feed(decoder.push, join(latin(HEAD), text('first'), text('second')), size)
    expect(events).toEqual(['first', 'second'])
  })

  test('without status 101 is refused, and gets no close frame', () => {
    const written: Uint8Array[] = []
    const { decoder, events } = record({ handshake: true, write: (bytes) => written.push(bytes) })
    decoder.push(join(latin('HTTP/1.1 403 Forbidden\r\n\r\n'), text('no')))
    expect(events).toEqual([1002])
    expect(written).toEqual([])
  })

  test('is shown to the host, whose verdict counts', () => {
    const heads: string[] = []
    const { decoder, events } = record({ handshake: (head) => heads.push(head) > 1 })
    decoder.push(latin(HEAD))
    expect(heads).toEqual([HEAD])
    expect(events).toEqual([1002])
  })

  test('is refused with 1002 if the function for it throws, and the error is an unhandled rejection', async () => {
    const fault = new Error('of the function')
    const { decoder, events } = record({
      handshake: () => {
        throw fault
      },
    })
    expect(await unhandled(() => decoder.push(latin(HEAD)))).toBe(fault)
    expect(events).toEqual([1002])
  })

  test('may have 16 KiB, not one byte more', () => {
    const head = (size: number): Uint8Array =>
      latin(HEAD.slice(0, -2) + 'X: ' + 'y'.repeat(size - HEAD.length - 5) + '\r\n\r\n')
    const fits = record({ handshake: true })
    fits.decoder.push(join(head(16384), text('hello')))
    expect(fits.events).toEqual(['hello'])
    const over = record({ handshake: true })
    over.decoder.push(head(16385))
    expect(over.events).toEqual([1009])
  })
})

describe('limits', () => {
  const MESSAGE = 16 * 1024 * 1024

  test('a message of 16 MiB passes, one byte more is a 1009 before any of it is kept', () => {
    const { decoder, events } = record()
    decoder.push(frame(2, new Uint8Array(MESSAGE)))
    decoder.push(frame(2, latin(''), { length: MESSAGE + 1 }))
    expect((events[0] as Uint8Array).length).toBe(MESSAGE)
    expect(events.slice(1)).toEqual([1009])
  })

  test('the limit is on all fragments together', () => {
    const { decoder, events } = record({ maxMessage: 4 })
    decoder.push(fragments(1, utf8('abcd'), 1))
    decoder.push(fragments(1, utf8('abcde'), 1))
    expect(events).toEqual(['abcd', 1009])
  })

  const contents = [
    ['empty', ''],
    ['not empty', 'x'],
  ] as const

  test.each(contents)('131,072 fragments pass, one more is a 1009; %s', (_name, content) => {
    const more = frame(0, utf8(content), { fin: false })
    const { decoder, events } = record()
    const begin = (): void => {
      decoder.push(frame(1, utf8(content), { fin: false }))
      for (let i = 0; i < 131_070; i++) decoder.push(more)
    }
    begin()
    decoder.push(frame(0))
    expect(events).toEqual([content.repeat(131_071)])
    begin()
    decoder.push(more)
    expect(events).toHaveLength(1)
    decoder.push(more)
    expect(events.slice(1)).toEqual([1009])
  })

  test.each([
    ['2^31', '\x00\x00\x00\x00\x80\x00\x00\x00'],
    ['2^53', '\x00\x20\x00\x00\x00\x00\x00\x00'],
    ['2^63', '\x80\x00\x00\x00\x00\x00\x00\x00'],
    ['2^64 - 1', '\xff\xff\xff\xff\xff\xff\xff\xff'],
  ])('a length of %s is a 1009', (_name, length) => {
    const { decoder, events } = record()
    decoder.push(latin('\x82\x7f' + length))
    expect(events).toEqual([1009])
  })

  test('4 MiB in fragments of one byte copies each byte a constant number of times', () => {
    const { set } = Uint8Array.prototype
    let copied = 0
    Uint8Array.prototype.set = function (this: Uint8Array, source: ArrayLike<number>, offset?: number) {
      copied += source.length
      set.call(this, source, offset)
    }
    const copiedFor = (length: number): number => {
      copied = 0
      const { decoder, events } = record({ maxFragments: length })
      const more = frame(0, latin('x'), { fin: false })
      decoder.push(frame(2, latin('x'), { fin: false }))
      for (let i = 2; i < length; i++) decoder.push(more)
      decoder.push(frame(0, latin('x')))
      expect((events[0] as Uint8Array).length).toBe(length)
      return copied
    }
    try {
      expect(copiedFor(4 * 1024 * 1024) / (4 * 1024 * 1024)).toBeLessThan(4)
    } finally {
      Uint8Array.prototype.set = set
    }
  })

  test('4 MiB of text in fragments of one byte is one message', () => {
    const length = 4 * 1024 * 1024
    const { decoder, events } = record({ maxFragments: length })
    const halves = [...utf8('é')].map((byte) => frame(0, Uint8Array.of(byte), { fin: false }))
    decoder.push(frame(1, latin(''), { fin: false }))
    for (let i = 2; i < length; i++) decoder.push(halves[i % 2]!)
    decoder.push(frame(0))
    expect(events).toHaveLength(1)
    expect(events[0] === 'é'.repeat(length / 2 - 1)).toBe(true)
  })
})

describe('answers', () => {
  test('with a mask of zeros, what is written is the payload itself', () => {
    const written: Uint8Array[] = []
    const { decoder } = record({ write: (bytes) => written.push(bytes), random: () => 0 })
    decoder.push(join(frame(9, latin('hey')), close(3001, 'bye')))
    expect(written.map((bytes) => latin(String.fromCharCode(...bytes)))).toEqual([
      latin('\x8a\x83\0\0\0\0hey'),
      latin('\x88\x85\0\0\0\0\x0b\xb9bye'),
    ])
  })

  test('an error is answered with a close frame of its code', () => {
    const written: Uint8Array[] = []
    const { decoder } = record({ write: (bytes) => written.push(bytes), random: () => 0 })
    decoder.push(latin('\x83\0'))
    expect(written).toEqual([latin('\x88\x82\0\0\0\0\x03\xea')])
  })
})

describe('the host', () => {
  test('gets its own fault back as an unhandled rejection; the stream goes on', async () => {
    const fault = new Error('of the listener')
    const seen: unknown[] = []
    const decoder = new MessageDecoder({
      message: (data) => {
        seen.push(data)
        if (data === 'one') throw fault
      },
    })
    expect(await unhandled(() => decoder.push(join(text('one'), text('two'))))).toBe(fault)
    expect(seen).toEqual(['one', 'two'])
  })

  test('has its options as `this` in each of them', () => {
    const names: string[] = []
    class Options {
      random() {
        names.push(`random ${this instanceof Options}`)
        return 0
      }
      handshake() {
        return names.push(`handshake ${this instanceof Options}`) > 0
      }
      message() {
        names.push(`message ${this instanceof Options}`)
      }
      ping() {
        names.push(`ping ${this instanceof Options}`)
      }
      pong() {
        names.push(`pong ${this instanceof Options}`)
      }
      close() {
        names.push(`close ${this instanceof Options}`)
      }
      error() {
        names.push(`error ${this instanceof Options}`)
      }
      write() {
        names.push(`write ${this instanceof Options}`)
      }
    }
    const head = latin('HTTP/1.1 101 Yes\r\n\r\n')
    new MessageDecoder(new Options()).push(join(head, text('x'), frame(9), frame(10), close(1000)))
    new MessageDecoder(new Options()).push(join(head, frame(3)))
    expect(names.filter((name) => !name.endsWith('true'))).toEqual([])
    expect([...new Set(names.map((name) => name.split(' ')[0]))].sort()).toEqual([
      'close',
      'error',
      'handshake',
      'message',
      'ping',
      'pong',
      'random',
      'write',
    ])
  })

  test('is told once why a stream ended, by an error with name and code', () => {
    const errors: FrameError[] = []
    const decoder = new MessageDecoder({ error: (error) => errors.push(error) })
    decoder.push(latin('\xff\xff\xff'))
    decoder.push(latin('\xff\xff\xff'))
    expect(errors).toHaveLength(1)
    expect(errors[0]).toBeInstanceOf(Error)
    expect(errors[0]).toMatchObject({ name: 'FrameError', code: 1002 })
  })

  test('may stop listening to everything: no callback is needed', () => {
    const decoder = new MessageDecoder({})
    decoder.push(join(text('one'), frame(9), frame(10), close(1000)))
  })
})

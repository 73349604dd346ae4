import { afterEach, expect, test, vi } from 'vitest'
import { createTextDecode } from '../../src/client/hosts/text-decoder.js'
import type { ClientOptions } from '../../src/index.js'
import { difficultText } from '../support/fault-server-game-servers.js'

afterEach(() => vi.unstubAllGlobals())

/** Takes no notice of `stream`, as some script VMs do. */
class WithoutStream {
  decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
}

const decoders: [string, Pick<ClientOptions, 'TextDecoder'>][] = [
  ["the host's decoder", {}],
  ['a decoder without a stream mode', { TextDecoder: WithoutStream }],
]

test.each(decoders)('bytes in pieces of any size are the same text by %s', (_name, options) => {
  const bytes = new TextEncoder().encode(`\ufeff${difficultText}`)
  for (const size of [1, 2, 3, 4, 5, 7, 1000]) {
    const decode = createTextDecode(options)
    let text = ''
    for (let at = 0; at < bytes.length; at += size) text += decode(bytes.slice(at, at + size))
    expect(text).toBe(`\ufeff${difficultText}`)
  }
})

test.each(decoders)('a character comes as soon as its last byte is there by %s', (_name, options) => {
  const decode = createTextDecode(options)
  const [a, b, c, d] = new TextEncoder().encode('𝄞')
  expect(decode(Uint8Array.of(0x61, a!, b!, c!))).toBe('a')
  expect(decode(new Uint8Array(0))).toBe('')
  expect(decode(Uint8Array.of(d!, 0x62))).toBe('𝄞b')
})

const wrong: [string, number[]][] = [
  ['a byte that begins nothing', [0x61, 0xff, 0x61, 0x61, 0x61, 0x61]],
  ['four bytes that are no character', [0x80, 0x80, 0x80, 0x80]],
  ['a character that goes on as none', [0xe2, 0x82, 0x61, 0x61, 0x61]],
]
test.each(wrong)('%s (%j) is PROTOCOL by a decoder without a stream mode', (_what, bytes) => {
  const decode = createTextDecode({ TextDecoder: WithoutStream })
  expect(() => decode(Uint8Array.from(bytes))).toThrow(expect.objectContaining({ code: 'PROTOCOL' }))
})

test('a host without a TextDecoder has the same text, also of control characters', () => {
  vi.stubGlobal('TextDecoder', undefined)
  expect(createTextDecode({})(Uint8Array.of(0, 9, 10, 15, 16, 0x7f))).toBe('\u0000\t\n\u000f\u0010\u007f')
})

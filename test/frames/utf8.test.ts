import { expect, test } from 'vitest'
import { MessageDecoder } from '../../src/frames/index.js'
import { feed, latin, text, utf8 } from '../support/frames.js'

const decode = (payload: Uint8Array, size: number): string | number | undefined => {
  let result: string | number | undefined
  const decoder = new MessageDecoder({
    message: (data) => (result = data as string),
    error: ({ code }) => (result = code),
  })
  feed(decoder.push, text(payload), size)
  return result
}

test.each([1, 2, 3, 5, 97, 131, Infinity])('long text of all kinds of characters in pieces of %d', (size) => {
  const all = '\ufeffaé߿ࠀ퟿\ue000\ufeff\ufffd\uffff𐀀😀\u{10ffff}'.repeat(900)
  expect(decode(utf8(all), size) === all).toBe(true)
})

test('a bad byte fails the message the moment it arrives, far from the end', () => {
  let code = 0
  const { push } = new MessageDecoder({ error: (error) => (code = error.code) })
  const bytes = text(latin(`${'x'.repeat(200)}\xf4\x90${'y'.repeat(200)}`))
  push(bytes.subarray(0, bytes.length - 201))
  expect(code).toBe(0)
  push(bytes.subarray(bytes.length - 201, bytes.length - 200))
  expect(code).toBe(1007)
})

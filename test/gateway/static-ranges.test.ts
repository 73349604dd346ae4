import { expect, test } from 'vitest'
import { folderOf, serveSite } from './static-support.js'

test('a part of a file', async () => {
  const { ask } = await serveSite(await folderOf({ 'a.bin': '0123456789' }))
  const part = await ask('/a.bin', { range: 'bytes=2-4' })
  expect([part.status, part.text, part.headers['content-range']]).toEqual([206, '234', 'bytes 2-4/10'])
  const none = await ask('/a.bin', { range: 'bytes=10-' })
  expect([none.status, none.headers['content-range']]).toEqual([416, 'bytes */10'])
  expect(none.text).toMatch(/no such range/)
  expect((await ask('/a.bin', { range: 'bytes=2-4', 'if-range': '"old"' })).text).toBe('0123456789')
})

test.each([
  ['bytes=-3', 206, '789'],
  ['bytes=-10', 206, '0123456789'],
  ['bytes=-11', 206, '0123456789'],
  ['bytes=-99999999999999999999', 206, '0123456789'],
  ['bytes= -11', 206, '0123456789'],
  ['bytes=-0', 416, ''],
  ['bytes=8-1,-11', 206, '0123456789'],
  ['bytes=--11', 200, '0123456789'],
] as const)('the last bytes of a file: %s', async (range, status, text) => {
  const { ask } = await serveSite(await folderOf({ 'a.bin': '0123456789' }))
  const part = await ask('/a.bin', { range })
  expect([part.status, status === 416 ? '' : part.text]).toEqual([status, text])
  if (status === 206) expect(part.headers['content-range']).toBe(`bytes ${10 - text.length}-9/10`)
})

test('the last bytes of an empty file are the whole file', async () => {
  const { ask } = await serveSite(await folderOf({ 'a.bin': '' }))
  const whole = await ask('/a.bin', { range: 'bytes=-5' })
  expect([whole.status, whole.text]).toEqual([200, ''])
})

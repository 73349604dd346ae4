import { describe, expect, test } from 'vitest'
import type { LocalSidecar } from '../../src/node.js'
import { startSidecar } from '../support/with-sidecar.js'
import { converse } from './support.js'

const call = (
  local: LocalSidecar,
  method: string,
  path: string,
  body?: string,
  headers: Record<string, string> = {},
): Promise<Response> => fetch(local.url + path, { method, headers, ...(body === undefined ? {} : { body }) })
const read = async (local: LocalSidecar, path: string): Promise<unknown> => (await call(local, 'GET', path)).json()

describe('GET /_/api/log/SEQ', () => {
  test('gives an entry with its request, its answer and the reason', async () => {
    const local = await startSidecar()
    await call(local, 'PATCH', '/v1beta1/counters/rooms', '{"count":"11"}', { 'user-agent': 'Mozilla/5.0 x' })
    expect(await read(local, '/_/api/log/1')).toMatchObject({
      entry: { seq: 1, client: 'page#1', ms: expect.any(Number), reply: { status: 500 } },
      request: { method: 'PATCH', target: '/v1beta1/counters/rooms', body: '{"count":"11"}' },
      response: { status: 500, headers: { 'content-type': 'application/json' } },
      why: {
        rule: 'updateCounter is refused: out of range. Count must be within range [0,Capacity]. Found Count: 11, Capacity: 10.',
      },
    })
  })

  test('answers 404 for a number without an entry, and for a text that is no number', async () => {
    const local = await startSidecar()
    for (const number of ['9', 'x', '']) {
      const response = await call(local, 'GET', `/_/api/log/${number}`)
      expect(await response.json()).toEqual({ code: 5, message: expect.stringContaining('no entry'), details: [] })
      expect(response.status).toBe(404)
    }
  })
})

test('the log names each program, and gives each nameless WebSocket its own name', async () => {
  const local = await startSidecar()
  for (const agent of ['node', 'curl/8', 'node', 'Mozilla/5.0 a', 'Mozilla/5.0 b']) {
    await call(local, 'POST', '/ready', '{}', { 'user-agent': agent })
  }
  for (let i = 0; i < 2; i += 1) await converse(`${local.url}/watch/gameserver`).frame(0)
  const names = local.sidecar.log.entries().flatMap(({ client }) => client ?? [])
  expect(names).toEqual(['node#1', 'curl#1', 'node#1', 'page#1', 'page#2', 'ws#1', 'ws#2'])
  expect(local.sidecar.snapshot().watchers.map(({ client }) => client)).toEqual(['ws#1', 'ws#2'])
})

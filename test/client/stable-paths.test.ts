import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/index.node.js'
import { listenHere } from '../support/listen.js'

/** A sidecar that has only paths which match; any other is answered with this status, as grpc-gateway does. */
async function sidecarWith(has: RegExp, status: number) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const { method, url = '' } = request
    asked.push(`${method} ${url}`)
    const isThere = has.test(url)
    response.writeHead(isThere ? 200 : status, { 'content-type': 'application/json' })
    response.end(isThere ? '{"name":"rooms","count":"1","capacity":"9"}' : '{"code":5,"message":"Not Found"}')
  })
  const baseUrl = `http://127.0.0.1:${await listenHere(server)}`
  const client = createClient({ baseUrl, retry: false })
  onTestFinished(() => client.close())
  return { client, asked }
}

test.each([404, 501])('a sidecar that answers %i to the beta is asked by stable paths from then on', async (status) => {
  const { client, asked } = await sidecarWith(/^\/counters\//, status)
  expect(client.status.stablePaths).toBe(false)
  const rooms = { name: 'rooms', count: 1, capacity: 9 }
  expect(await client.updateCounter('rooms', { countDiff: 1 })).toEqual(rooms)
  expect(client.status.stablePaths).toBe(true)
  expect(await client.getCounter('rooms')).toEqual(rooms)
  expect(asked).toEqual(['PATCH /v1beta1/counters/rooms', 'PATCH /counters/rooms', 'GET /counters/rooms'])
})

test('a sidecar without counters rejects with UNIMPLEMENTED, and is asked for the beta again', async () => {
  const { client, asked } = await sidecarWith(/^$/, 404)
  for (let call = 0; call < 2; call++)
    await expect(client.getCounter('rooms')).rejects.toMatchObject({ code: 'UNIMPLEMENTED' })
  await expect(client.ready()).rejects.toMatchObject({ code: 'UNIMPLEMENTED' })
  const both = ['GET /v1beta1/counters/rooms', 'GET /counters/rooms']
  expect([asked, client.status.stablePaths]).toEqual([[...both, ...both, 'POST /ready'], false])
})

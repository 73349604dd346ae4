import { expect, it } from 'vitest'
import { createWebSocketClass } from '../../src/frames/index.js'
import { nodeConnect } from '../../src/node/node-connect.js'
import { connectClient, startSidecar } from '../support/with-sidecar.js'

it('the WebSocket class of ./frames carries the watch over a raw TCP socket', async () => {
  const sidecar = await startSidecar()
  let opened = 0
  const WebSocket = createWebSocketClass((target) => {
    opened++
    return nodeConnect(target)
  })
  const client = connectClient(sidecar, { WebSocket, watch: 'websocket' })
  await client.ready({ confirm: true })
  await client.setAnnotation('map', 'größe 😀', { confirm: true })
  expect(client.status).toMatchObject({ connection: 'connected', transport: 'websocket' })
  expect(opened).toBe(1)
  await sidecar.restart()
  sidecar.control({ type: 'allocate' })
  await client.waitFor('Allocated')
  expect(opened).toBeGreaterThan(1)
})

/**
 * A minimal sidecar for watches, over `node:http` and `ws`. Sends objects with growing versions to all watchers, as
 * fast as they read. The local sidecar keeps only the newest object for a slow reader, which would hide a loss.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { WebSocketServer } from 'ws'

export async function createObjectServer() {
  let version = 1
  let port = 0
  let server
  const watchers = new Set()

  const object = () =>
    `{"object_meta":{"name":"soak","namespace":"default","uid":"1","resource_version":"${version}","generation":"1",` +
    `"creation_timestamp":"1","deletion_timestamp":"0","annotations":{},"labels":{"n":"${version % 7}"}},` +
    `"spec":{"health":{"disabled":false,"period_seconds":5,"failure_threshold":3,"initial_delay_seconds":5}},` +
    `"status":{"state":"Ready","address":"127.0.0.1","addresses":[],"ports":[],"players":null,` +
    `"counters":{"rooms":{"count":"${version % 10}","capacity":"10"}},"lists":{}}}`
  const line = () => `{"result":${object()}}`

  async function start() {
    server = createServer((request, response) => {
      response.setHeader('content-type', 'application/json')
      if (request.url !== '/watch/gameserver') return response.end(request.url === '/gameserver' ? object() : '{}')
      const send = (text) => response.write(`${text}\n`)
      const watcher = { send, drained: () => (response.writableNeedDrain ? once(response, 'drain') : undefined) }
      watchers.add(watcher)
      response.on('close', () => watchers.delete(watcher))
      response.on('error', () => {})
      send(line())
    })
    const upgrades = new WebSocketServer({ noServer: true })
    server.on('upgrade', (request, socket, head) => {
      socket.on('error', () => {})
      upgrades.handleUpgrade(request, socket, head, (ws) => {
        const watcher = {
          send: (text) => ws.send(text),
          drained: () => (socket.writableNeedDrain ? once(socket, 'drain') : undefined),
        }
        watchers.add(watcher)
        ws.on('close', () => watchers.delete(watcher))
        ws.on('error', () => {})
        ws.send(line())
      })
    })
    server.sockets = new Set()
    server.on('connection', (socket) => {
      server.sockets.add(socket)
      socket.on('close', () => server.sockets.delete(socket))
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    port = server.address().port
  }

  async function stop() {
    const closed = once(server, 'close')
    server.close()
    for (const socket of server.sockets) socket.resetAndDestroy()
    await closed
    watchers.clear()
  }

  function publish() {
    version++
    const text = line()
    for (const watcher of watchers) watcher.send(text)
  }

  await start()
  return {
    url: `http://127.0.0.1:${port}`,
    get version() {
      return version
    },
    start,
    stop,
    publish,
    async publishMany(count) {
      for (let i = 0; i < count; i++) {
        publish()
        for (const watcher of watchers) await watcher.drained()
        // Reader and server share this process, so the reader needs its turns.
        if (i % 64 === 0) await new Promise((resolve) => setImmediate(resolve))
      }
    },
    close: stop,
  }
}

/**
 * Runs in Node, Deno or Bun, in a project that has installed the package: `attached-server.mjs <url of the sidecar>`;
 * prints a line for each step. One player comes, and the process waits for SIGTERM.
 */
import { createServer } from 'node:http'
import { attachServer } from 'gameserver-sidecar/ws'
import { WebSocket, WebSocketServer } from 'ws'

const args = typeof Deno === 'object' ? Deno.args : process.argv.slice(2)
const http = createServer()
const sockets = new WebSocketServer({ noServer: true })
http.on('upgrade', (request, socket, head) => {
  sockets.handleUpgrade(request, socket, head, (ws) => sockets.emit('connection', ws, request))
})
const { idOf, client } = attachServer(http, {
  client: { baseUrl: args[0] },
  async onEnding({ reason }) {
    await new Promise((resolve) => setTimeout(resolve, 200))
    console.log(`saved at ${reason}`)
  },
})
sockets.on('connection', (_, request) => console.log(`player ${idOf(request)}`))
http.listen(0, '127.0.0.1', async () => {
  await client.waitFor('Ready')
  new WebSocket(`ws://127.0.0.1:${http.address().port}/?player=ann`)
})

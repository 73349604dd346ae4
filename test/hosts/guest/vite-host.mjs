/**
 * A version of Vite with the plugin in it: `vite-host.mjs <vite>`. Prints what came of each way to use it as JSON and
 * ends by itself, which shows that nothing is left running.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import WebSocket from 'ws'
import { createClient } from 'gameserver-sidecar'
import { gameserverSidecar } from 'gameserver-sidecar/vite'

const [path] = process.argv.slice(2)
const vite = await import(path)

const root = await mkdtemp(join(tmpdir(), 'gameserver-vite-'))
await writeFile(join(root, 'index.html'), '<!doctype html><html><head><title>Game</title></head><body></body></html>')
const started = []
const logger = { ...vite.createLogger('silent'), info: (line) => started.push(...(line.match(/Local sidecar/g) ?? [])) }
const config = {
  root,
  configFile: false,
  customLogger: logger,
  plugins: [gameserverSidecar({ local: { mode: 'local' } })],
  optimizeDeps: { noDiscovery: true },
  server: { port: 0, host: '127.0.0.1', watch: null },
  preview: { port: 0, host: '127.0.0.1' },
}

const urlOf = ({ resolvedUrls }) => resolvedUrls.local[0].replace(/\/$/, '')

/** What a page finds there, and what its client does. */
async function visit(url) {
  const headers = { accept: 'text/html', connection: 'close' }
  const page = await (await fetch(url, { headers })).text()
  const client = createClient({ baseUrl: `${url}/_/sidecar` })
  try {
    await client.shutdown()
    const { status } = await client.waitFor('Shutdown', { timeout: 5000 })
    return {
      tags: page.split('<script src="/_/config.js">').length - 1,
      state: status.state,
      transport: client.status.transport,
    }
  } finally {
    client.close()
  }
}

/** The first word of Vite's own WebSocket, beside which the sidecar's is served. */
function greetingOf(server) {
  const token = server.config.webSocketToken
  const socket = new WebSocket(`${urlOf(server).replace('http', 'ws')}/${token ? `?token=${token}` : ''}`, 'vite-hmr')
  return new Promise((resolve, reject) => {
    socket.on('error', reject)
    socket.on('message', (bytes) => {
      socket.terminate()
      resolve(JSON.parse(String(bytes)).type)
    })
  })
}

const results = { version: vite.version }
try {
  const server = await vite.createServer(config)
  await server.listen()
  results.dev = await visit(urlOf(server))
  results.hot = await greetingOf(server)
  await server.restart()
  // Until fetch has noticed that its connections have ended.
  await new Promise((resolve) => {
    setTimeout(resolve, 200)
  })
  results.restarted = await visit(urlOf(server))
  await server.close()
  await vite.build({ ...config, logLevel: 'silent' })
  const preview = await vite.preview(config)
  results.preview = await visit(urlOf(preview))
  preview.httpServer.close()
} finally {
  await rm(root, { recursive: true })
}
results.started = started.length
console.log(JSON.stringify(results))

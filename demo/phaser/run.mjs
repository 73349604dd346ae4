/**
 * `npm run demo:phaser`: a local sidecar and a Phaser server beside it, from Scheduled to Shutdown. Ends with 0 if both
 * did what they should.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { buildIfStale } from '../../build/build-if-stale.mjs'

const path = (name) => fileURLToPath(new URL(name, import.meta.url))
const TIME_LIMIT_MS = 60_000

await buildIfStale()

const sidecar = spawn(
  process.execPath,
  [path('../../dist/cli.js'), 'local', '--http-port', '0', '--file', path('../gameserver.yaml')],
  { stdio: ['ignore', 'pipe', 'inherit'] },
)
let server
const limit = setTimeout(() => {
  console.error(`Not over after ${TIME_LIMIT_MS / 1000} s.`)
  server?.kill('SIGKILL')
}, TIME_LIMIT_MS)

try {
  const port = await portOf(sidecar)
  console.log(`sidecar  port ${port}, production mode`)
  server = spawn(process.execPath, [path('server.mjs')], {
    env: { ...process.env, AGONES_SDK_HTTP_PORT: port },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(server, 'exit')
  for await (const line of createInterface({ input: server.stdout })) {
    console.log(line)
    // The whole party is here: what an allocator in a cluster would do.
    if (/^counter +players: 3 /.test(line)) await allocate(port)
  }
  const [code] = await exited
  console.log(code === 0 ? 'The Phaser server has ended by itself.' : `The Phaser server failed with ${code}.`)
  process.exitCode = code ?? 1
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
} finally {
  clearTimeout(limit)
  server?.kill()
  sidecar.kill()
}

async function portOf(child) {
  for await (const line of createInterface({ input: child.stdout })) {
    const port = /AGONES_SDK_HTTP_PORT=(\d+)/.exec(line)?.[1]
    if (port !== undefined) {
      child.stdout.resume()
      return port
    }
  }
  throw new Error('The local sidecar did not start.')
}

async function allocate(port) {
  const response = await fetch(`http://127.0.0.1:${port}/_/api/commands`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-sidecar-control': '1' },
    body: JSON.stringify({ type: 'allocate' }),
  })
  if (!response.ok) throw new Error(`Not allocated: ${await response.text()}`)
}

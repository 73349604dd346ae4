/**
 * `npm run demo:phaser`: a local sidecar and a Phaser server, from Scheduled to Shutdown. Exits with 0 if both worked.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { buildIfStale } from '../../build/build-if-stale.mjs'

const path = (name) => fileURLToPath(new URL(name, import.meta.url))
const TIME_LIMIT_MS = 60_000

await buildIfStale()
// Imported after the build, which creates it.
const { createLocalSidecar } = await import('gameserver-sidecar/node')

const sidecar = await createLocalSidecar({ file: path('../gameserver.yaml') })
console.log(`sidecar  port ${sidecar.port}, ${sidecar.mode} mode`)
const server = spawn(process.execPath, [path('server.mjs')], {
  env: { ...process.env, AGONES_SDK_HTTP_PORT: String(sidecar.port) },
  stdio: ['ignore', 'pipe', 'inherit'],
})
const limit = setTimeout(() => {
  console.error(`Not over after ${TIME_LIMIT_MS / 1000} s.`)
  server.kill('SIGKILL')
}, TIME_LIMIT_MS)
const exited = once(server, 'exit')
for await (const line of createInterface({ input: server.stdout })) {
  console.log(line)
  // All players are here, so a matchmaker allocates the server.
  if (/^counter +players: 3 /.test(line)) sidecar.allocate({})
}
const [code] = await exited
clearTimeout(limit)
await sidecar.close()
console.log(code === 0 ? 'The Phaser server has ended by itself.' : `The Phaser server failed with ${code}.`)
process.exitCode = code ?? 1

import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createLocalSidecar } from '../../dist/node.js'

export const root = join(import.meta.dirname, '..', '..')
const CLI = join(root, 'dist', 'cli.js')

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

/** Starts the command's local sidecar as a process of its own; `end()` waits until it is gone. */
export function startLocalSidecar(port, ...flags) {
  const child = spawn(process.execPath, [CLI, 'local', '--port', String(port), ...flags], { stdio: 'ignore' })
  return { child, url: `http://127.0.0.1:${port}`, end: () => end(child) }
}

/** A real sidecar where SDK_SERVER names its binary, otherwise the local one, both in local mode. Resolves when it answers. */
export async function startSidecar() {
  const port = await freePort()
  const SDK_SERVER = process.env.SDK_SERVER || undefined
  const sidecar = SDK_SERVER
    ? startRealSidecar(SDK_SERVER, port, await freePort())
    : startLocalSidecar(port, '--mode', 'local')
  await answered(sidecar.url, sidecar)
  return { ...sidecar, name: SDK_SERVER ? 'real' : 'local' }
}

/** The same, with the time of each beat (ms since the epoch) as the sidecar tells it. */
export async function startSidecarWithBeats() {
  const beats = []
  if (process.env.SDK_SERVER) {
    const sidecar = startRealSidecar(process.env.SDK_SERVER, await freePort(), await freePort(), 'pipe')
    for (const input of [sidecar.child.stdout, sidecar.child.stderr]) {
      createInterface({ input }).on('line', (line) => {
        if (/health ping/i.test(line)) beats.push(Date.now())
      })
    }
    await answered(sidecar.url, sidecar)
    return { ...sidecar, name: 'real', beats }
  }
  const sidecar = await createLocalSidecar({ mode: 'local' })
  sidecar.sidecar.log.subscribe(({ at, event }) => {
    if (event.type === 'call' && event.call.operation === 'health') beats.push(at)
  })
  return { url: sidecar.url, end: sidecar.close, name: 'local', beats }
}

export function startRealSidecar(binary, port, grpcPort, stdio = 'ignore') {
  const flags = [
    '--local',
    '--http-port',
    String(port),
    '--grpc-port',
    String(grpcPort),
    '--graceful-termination=false',
  ]
  const child = spawn(binary, flags, { stdio })
  return { child, url: `http://127.0.0.1:${port}`, grpcPort, end: () => end(child) }
}

/** Resolves when a GET is answered with 200. */
export async function answered(url, { child }) {
  while (child.exitCode === null) {
    const response = await fetch(`${url}/gameserver`).catch(() => undefined)
    if (response?.status === 200) return await response.text()
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  throw new Error(`The sidecar ended with exit code ${child.exitCode} before it answered`)
}

export async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill()
  await once(child, 'exit')
}

/** Runs a module of `bench/support` as a process of its own and resolves with its first message. */
export async function start(module, ...args) {
  const child = fork(join(import.meta.dirname, module), args.map(String))
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`${module} ended with exit code ${code}`)
  })
  const [message] = await Promise.race([once(child, 'message'), failed])
  failed.catch(() => {})
  return { child, message }
}

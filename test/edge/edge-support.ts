import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, open, rename, writeFile } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { onTestFinished } from 'vitest'
import { edgeManifest } from '../../src/deploy/init/render.js'
import { documentsOf } from '../deploy/support/variants.js'
import { selfSigned } from '../gateway/certificate.js'
import { freePort } from '../support/free-port.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'

const NGINX = ['/usr/sbin/nginx', '/usr/local/bin/nginx', '/usr/bin/nginx'].find(existsSync)
export const missing = NGINX === undefined ? ['nginx, which Debian’s nginx-light brings'] : []

export interface RunningEdge {
  readonly port: number
  /** `wss://127.0.0.1:<port>`. */
  readonly url: string
  /** Everything that nginx and its script have printed. */
  output(): string
  /** Puts another certificate where the secret is mounted, in one step as the kubelet does. */
  renew(): Promise<string>
  /** What the kubelet sends to end the pod; resolves with the exit code. */
  stop(): Promise<number | null>
}

/** Runs the ConfigMap that `init --edge` writes: only the paths, the port and the interval are other ones. */
export async function startEdge(nodes: readonly string[], ports: readonly [number, number]): Promise<RunningEdge> {
  const folder = await temporaryFolder('edge')
  const port = await freePort()
  const changes: Readonly<Record<string, string>> = {
    '/tls/': `${folder}/tls/`,
    '/tmp/': `${folder}/`,
    '/etc/edge/': `${folder}/`,
    'nginx -e': `${NGINX} -e`,
    'listen 8443': `listen 127.0.0.1:${port}`,
    'sleep 10': 'sleep 0.1',
  }
  const [map] = documentsOf(edgeManifest({ host: 'play.example.com', nodes, ports })) as [
    { data: Record<'nginx.conf' | 'run.sh', string> },
  ]
  const all = Object.values(map.data).join('')
  for (const written in changes) if (!all.includes(written)) throw new Error(`edge.yaml has no ${written}`)
  const written = new RegExp(Object.keys(changes).join('|'), 'g')
  for (const [name, text] of Object.entries(map.data))
    await writeFile(
      join(folder, name),
      text.replace(written, (part) => changes[part]!),
    )
  const secret = join(folder, 'tls')
  await mkdir(secret)
  const renew = async (): Promise<string> => {
    const { cert, key } = selfSigned()
    for (const [name, text] of Object.entries({ 'tls.key': key, 'tls.crt': cert })) {
      await writeFile(join(secret, `${name}.new`), text)
      await rename(join(secret, `${name}.new`), join(secret, name))
    }
    return cert
  }
  await renew()
  // No pipe: Node makes sockets for pipes, and nginx can't open /dev/stdout when it is a socket.
  const log = await open(join(folder, 'log'), 'a')
  const shell = spawn('sh', [join(folder, 'run.sh')], { detached: true, stdio: ['ignore', log.fd, log.fd] })
  const output = (): string => readFileSync(join(folder, 'log'), 'utf8')
  const ended = once(shell, 'exit') as Promise<[number | null]>
  onTestFinished(async () => {
    // The whole group: a worker that has players outlives the shell.
    try {
      process.kill(-shell.pid!, 'SIGKILL')
    } catch {
      // All have ended.
    }
    await ended
    await log.close()
  })
  await until(async () => {
    if (shell.exitCode !== null) return
    ;(await openTls(port)).destroy()
  })
  if (shell.exitCode !== null) throw new Error(`nginx has ended: ${output()}`)
  const stop = async (): Promise<number | null> => {
    shell.kill('SIGTERM')
    return (await ended)[0]
  }
  return { port, url: `wss://127.0.0.1:${port}`, output, renew, stop }
}

export async function openTls(port: number, ALPNProtocols?: string[]): Promise<ReturnType<typeof connectTls>> {
  const socket = connectTls({
    port,
    host: '127.0.0.1',
    rejectUnauthorized: false,
    ...(ALPNProtocols && { ALPNProtocols }),
  })
  await once(socket, 'secureConnect')
  socket.on('error', () => undefined)
  return socket
}

/** Sends exactly these bytes, and resolves with the status of the first answer; undefined for none. */
export async function statusOf(port: number, bytes: string): Promise<number | undefined> {
  const socket = await openTls(port)
  onTestFinished(() => void socket.destroy())
  let received = ''
  socket.write(Buffer.from(bytes, 'latin1'))
  for await (const chunk of socket) {
    received += String(chunk)
    if (received.includes('\r\n\r\n') || !received.startsWith('HTTP')) break
  }
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(received) ?? []
  return status === undefined ? undefined : Number(status)
}

/** A server that records the request lines that reach it, and upgrades each one. */
export async function startBackend(host: string, port: number): Promise<string[]> {
  const lines: string[] = []
  const server = createServer((socket: Socket) => {
    socket.on('error', () => undefined)
    socket.once('data', (chunk) => {
      lines.push(chunk.toString('latin1').split('\r\n')[0]!)
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n')
    })
    onTestFinished(() => void socket.destroy())
  })
  server.listen(port, host)
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return lines
}

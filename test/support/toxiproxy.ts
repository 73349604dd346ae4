import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { freePort } from './free-port.js'
import { until } from './until.js'

/** Toxics by toxiproxy's names, with their attributes. */
export type Toxic =
  | { type: 'latency'; attributes: { latency: number; jitter?: number } }
  | { type: 'bandwidth'; attributes: { rate: number } }
  | { type: 'slicer'; attributes: { average_size: number; size_variation?: number; delay?: number } }
  | { type: 'timeout'; attributes: { timeout: number } }
  | { type: 'reset_peer'; attributes: { timeout: number } }
  | { type: 'limit_data'; attributes: { bytes: number } }
  | { type: 'slow_close'; attributes: { delay: number } }

/** One proxied port. */
export interface ToxicProxy {
  readonly url: string
  /**
   * Adds a toxic for data to the client (`downstream`, the default) or to the sidecar, on present and new connections.
   */
  add(toxic: Toxic, stream?: 'downstream' | 'upstream'): Promise<void>
  /** Removes all toxics. */
  clear(): Promise<void>
  /** Drops every connection and refuses new ones, or listens again. */
  setDown(down: boolean): Promise<void>
}

export interface Toxiproxy {
  proxyTo(port: number): Promise<ToxicProxy>
  close(): Promise<void>
}

/** The `toxiproxy-server` binary: `TOXIPROXY`, or in `PATH`, or where `go install` puts binaries. */
export function findToxiproxy(): string | undefined {
  const given = process.env['TOXIPROXY']
  if (given !== undefined) return given
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const goPath = spawnSync('go', ['env', 'GOPATH'], { encoding: 'utf8' }).stdout
  if (goPath) folders.push(join(goPath.trim(), 'bin'))
  return folders.map((folder) => join(folder, 'toxiproxy-server')).find(isExecutable)
}

/** Starts toxiproxy with its interface on a free port. */
export async function startToxiproxy(binary: string): Promise<Toxiproxy> {
  const { child, api } = await launch(binary)
  let proxies = 0

  const call = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(api + path, { method, body: JSON.stringify(body) ?? null })
    if (!response.ok) throw new Error(`toxiproxy: ${method} ${path}: ${response.status} ${await response.text()}`)
    return response.status === 204 ? undefined : response.json()
  }

  return {
    async proxyTo(upstreamPort) {
      proxies += 1
      const name = `proxy-${proxies}`
      const made = await call('POST', '/proxies', {
        name,
        listen: '127.0.0.1:0',
        upstream: `127.0.0.1:${upstreamPort}`,
        enabled: true,
      })
      const toxics = new Set<string>()
      return {
        url: `http://${(made as { listen: string }).listen}`,
        async add(toxic, stream = 'downstream') {
          const toxicName = `${toxic.type}-${stream}`
          toxics.add(toxicName)
          await call('POST', `/proxies/${name}/toxics`, { ...toxic, name: toxicName, stream, toxicity: 1 })
        },
        async clear() {
          for (const toxicName of toxics) await call('DELETE', `/proxies/${name}/toxics/${toxicName}`)
          toxics.clear()
        },
        async setDown(down) {
          await call('POST', `/proxies/${name}`, { enabled: !down })
        },
      }
    },
    async close() {
      const exited = once(child, 'exit')
      if (child.kill()) await exited
    },
  }
}

async function launch(binary: string): Promise<{ child: ChildProcess; api: string }> {
  const port = await freePort()
  const child = spawn(binary, ['-host', '127.0.0.1', '-port', String(port)], { stdio: 'ignore' })
  await once(child, 'spawn')
  const api = `http://127.0.0.1:${port}`
  await until(async () => (await fetch(`${api}/version`)).ok)
  return { child, api }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

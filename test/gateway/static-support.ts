import { once } from 'node:events'
import { request, type IncomingHttpHeaders } from 'node:http'
import type { GatewayOptions } from '../../src/node.js'
import { folderOf } from '../support/temporary-folder.js'
import { ask as askWire, type Answer as WireAnswer } from '../support/wire.js'
import { startGateway } from './support.js'

const CONFIG = '/_/config.js'
export const TAG = `<script src="${CONFIG}"></script>`

/** The folder of a game of one page, until the test ends. */
export const sitePath = (): Promise<string> =>
  folderOf({ 'index.html': '<!doctype html><head><title>A game</title></head><body>' })

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  readonly text: string
}

export interface Site {
  readonly port: number
  /** A request as a client that changes nothing sends it: no encoding is undone, no path tidied up. */
  ask(path: string, headers?: Readonly<Record<string, string>>, method?: string): Promise<Answer>
  /** One request target, byte for byte. */
  raw(target: string): Promise<WireAnswer>
}

/** Serves a folder by a gateway, whose sidecar is not needed. */
export async function serveSite(dir: string, options: Partial<GatewayOptions> = {}): Promise<Site> {
  const { port } = await startGateway({ dir, sidecar: 'http://127.0.0.1:1', ...options })
  return {
    port,
    ask: async (path, headers = {}, method = 'GET') => {
      const asked = request({ host: '127.0.0.1', port, path, method, headers, agent: false })
      asked.end()
      const [answer] = (await once(asked, 'response')) as [import('node:http').IncomingMessage]
      const chunks: Buffer[] = []
      for await (const chunk of answer) chunks.push(chunk as Buffer)
      const body = Buffer.concat(chunks)
      return { status: answer.statusCode!, headers: answer.headers, body, text: body.toString() }
    },
    raw: (target) => askWire(port, `GET ${target}`, ['Host: localhost']),
  }
}
